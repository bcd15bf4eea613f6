//! A disk that is full: the image goes off with the reason, keeps all that was written, and goes on when there is room.

use crate::child::{Said, create, start};
use crate::kill::found;
use crate::on_disk::folder;

#[test]
fn a_full_disk_loses_nothing_and_goes_on_when_there_is_room() {
    for scheme in ["page-level", "lazy-rtgc", "bast"] {
        let folder = folder();
        let path = folder.path().join("device.img");
        let image = create(&path);
        let length = image.file_bytes();
        drop(image);
        // No write of the child may reach beyond the middle of the copies of page records, behind which are those of the block
        // records and of the head. Without the signal, a write there fails as one on a full disk does, and as late as its last
        // byte.
        let limit = length - 131_072 - 4_096 - 12_288;
        let limit = format!("trap '' XFSZ; export FTLKIT_TEST_LIMIT={limit};");
        let (mut child, out) = start(&limit, &path, scheme, 1);
        let mut said = Said::default();
        said.hear_all(out);
        child.wait().expect("the child ends by itself");
        let stopped = said.stopped.clone().expect("the write that found no room was reported");
        assert!(stopped.contains("cannot write") && stopped.contains("device.img"), "{stopped}");
        assert!(said.written.len() >= 5, "{scheme}: {said:?}");
        said.check(&path, scheme);
        // What failed may be there. With room, it goes on.
        said = Said { written: found(&path, scheme), ..Said::default() };
        let (mut child, mut out) = start("", &path, scheme, 2);
        let mut line = String::new();
        let before = said.written.clone();
        while said.written == before || said.written.len() < 100 {
            assert!(std::io::BufRead::read_line(&mut out, &mut line).unwrap() > 0, "{scheme}");
            said.hear(&line);
            line.clear();
        }
        child.kill().expect("the child runs");
        child.wait().expect("the child ends");
        said.hear_all(out);
        said.check(&path, scheme);
    }
}
