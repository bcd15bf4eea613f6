#!/usr/bin/env bash
# A clone of this project's repository, its newest commits made again one by one in a repository that syncs what it adds,
# branches and resets, garbage collection, and a check of all objects.
. "$(dirname "$0")/common.sh"
device_up 192MiB
# As of a device whose requests are short: 64 KiB at most.
echo 64 > "/sys/block/$(basename "$loop")/queue/max_sectors_kb"
export GIT_CONFIG_GLOBAL=$work/gitconfig GIT_CONFIG_NOSYSTEM=1
git config --global user.name capture
git config --global user.email capture@example.org
git config --global core.fsync all
git config --global advice.detachedHead false
git config --global init.defaultBranch main
git config --global safe.directory '*'
git clone --quiet --bare "file://$root" "$mnt/clone.git"
git init --quiet "$mnt/again"
cd "$mnt/again"
count=0
for commit in $(git -C "$mnt/clone.git" rev-list --reverse --max-count="${COMMITS:-200}" --no-merges HEAD); do
    git --git-dir "$mnt/clone.git" --work-tree . checkout --quiet --force "$commit" -- .
    git add --all
    git commit --quiet --allow-empty --message "$(git -C "$mnt/clone.git" log -1 --format=%s "$commit")"
    count=$((count + 1))
    if ((count % 25 == 0)); then
        # A branch, and the tree as it was ten commits before.
        git branch "at-$count"
        git reset --quiet --hard HEAD~10
        git reset --quiet --hard "at-$count"
    fi
    if ((count % 100 == 0)); then git gc --quiet; fi
done
git gc --quiet --aggressive --prune=now
git fsck --full --no-progress
cd "$root"
device_down
