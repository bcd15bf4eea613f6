//! `--watch`: the device's account, live in the terminal.

use super::log::Log;
use crate::failure::Failure;
use clap::Args;
use device::nbd::Stop;
use device::{Monitor, Summary};
use lab::config::Bytes;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Style, Stylize};
use ratatui::text::Line;
use ratatui::widgets::{Block, Gauge, Paragraph, Sparkline, Wrap};
use ratatui::{DefaultTerminal, Frame};
use std::collections::VecDeque;
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Time between two looks at the device.
const PERIOD: Duration = Duration::from_millis(250);
/// Least height and width of a window for the graph and the bars; a smaller one has the figures as lines.
const GRAPHIC: [u16; 2] = [21, 60];
/// Looks that the graph of throughput keeps.
const KEPT: usize = 240;

/// Whether there is a view.
#[derive(Debug, Args)]
pub(super) struct WatchArgs {
    /// Show throughput, WAF, free pages, response and wear in the terminal; q or Ctrl-C ends the server
    #[arg(long)]
    watch: bool,
}

/// The view, on a thread of its own.
pub(super) struct Watch(JoinHandle<io::Result<()>>);

impl WatchArgs {
    pub(super) fn is_on(&self) -> bool {
        self.watch
    }

    /// Refuses a view on a standard output that is no terminal.
    pub(super) fn check(&self) -> Result<(), Failure> {
        match !self.watch || io::stdout().is_terminal() && io::stdin().is_terminal() {
            true => Ok(()),
            false => Err(Failure::input_with_help(
                "--watch needs a terminal: standard input or output is none",
                "leave out --watch; --metrics gives the same figures to programs",
            )),
        }
    }
}

impl Watch {
    /// Takes the terminal until the device has ended, and shows this device, which clients reach at these places. The keys q and
    /// Ctrl-C stop the server.
    pub(super) fn start(
        title: String,
        places: Vec<String>,
        (monitor, stop): (Monitor, Stop),
        log: Log,
    ) -> io::Result<Self> {
        let view = View::new(title, places);
        let mut terminal = ratatui::try_init()?;
        let thread = thread::Builder::new().spawn(move || {
            let shown = show(&mut terminal, view, &monitor, &stop, &log);
            ratatui::restore();
            if shown.is_err() {
                stop.stop();
            }
            shown
        });
        thread.map(Self).inspect_err(|_| ratatui::restore())
    }

    /// Waits until the terminal is as before; the monitor has ended.
    pub(super) fn end(self) -> io::Result<()> {
        self.0.join().unwrap_or_else(|_| Err(io::Error::other("the view ended by a panic")))
    }
}

fn show(
    terminal: &mut DefaultTerminal,
    mut view: View,
    monitor: &Monitor,
    stop: &Stop,
    log: &Log,
) -> io::Result<()> {
    while !monitor.has_ended() {
        if let Some(summary) = monitor.look(PERIOD * 4) {
            view.add(summary, stop.refused(), stop.connections());
        }
        view.ends = stop.is_stopped();
        view.log = log.newest(20);
        terminal.draw(|frame| view.draw(frame))?;
        if event::poll(PERIOD)?
            && let Event::Key(key) = event::read()?
            && key.kind == KeyEventKind::Press
        {
            let control = key.modifiers.contains(KeyModifiers::CONTROL);
            match key.code {
                KeyCode::Char('q') => stop.stop(),
                KeyCode::Char('c') if control => stop.stop(),
                _ => {}
            }
        }
    }
    Ok(())
}

/// What is shown.
#[derive(Debug, Default)]
struct View {
    title: String,
    places: Vec<String>,
    now: Option<Arc<Summary>>,
    /// Bytes per second read and written, and requests per second, since the look before.
    rates: [f64; 3],
    /// Pages programmed per page written since the look before, if any was written.
    recent_waf: Option<f64>,
    /// Bytes per second, newest last.
    throughput: VecDeque<u64>,
    refused: u64,
    connections: usize,
    log: Vec<String>,
    ends: bool,
}

impl View {
    /// A view of this device, which clients reach at these places.
    fn new(title: String, places: Vec<String>) -> Self {
        Self { title, places, ..Self::default() }
    }

    fn add(&mut self, now: Arc<Summary>, refused: u64, connections: usize) {
        if let Some(before) = &self.now {
            let seconds = (now.run.elapsed_ns - before.run.elapsed_ns) as f64 / 1e9;
            let rate = |now: u64, before: u64| (now - before) as f64 / seconds.max(1e-9);
            self.rates = [
                rate(now.bytes_read, before.bytes_read),
                rate(now.bytes_written, before.bytes_written),
                rate(now.run.requests_taken, before.run.requests_taken),
            ];
            let written = now.run.write_tasks - before.run.write_tasks;
            let programmed = now.pages_programmed - before.pages_programmed;
            self.recent_waf = (written > 0).then(|| programmed as f64 / written as f64);
            self.throughput.push_back((self.rates[0] + self.rates[1]) as u64);
            if self.throughput.len() > KEPT {
                self.throughput.pop_front();
            }
        }
        self.now = Some(now);
        (self.refused, self.connections) = (refused, connections);
    }

    fn draw(&self, frame: &mut Frame<'_>) {
        let Rect { width, height, .. } = frame.area();
        match [height, width] {
            [height, width] if height < GRAPHIC[0] || width < GRAPHIC[1] => self.draw_lines(frame),
            _ => self.draw_graphs(frame),
        }
    }

    /// For a small window: the figures, most important first, and as much of the log as fits.
    fn draw_lines(&self, frame: &mut Frame<'_>) {
        let rows = Layout::vertical([Constraint::Min(0), Constraint::Length(1)]);
        let [all, keys] = rows.areas(frame.area());
        let mut lines = vec![Line::from(self.title.as_str()).bold()];
        match &self.now {
            None => lines.push("waiting for the device".into()),
            Some(now) => {
                let (worst, color) = response(now);
                lines.push(self.rates().into());
                lines.push(Line::from(response_title(now)));
                lines.push(Line::from(worst).fg(color));
                lines.push(format!("free      {}", free(now)).into());
                lines.extend(self.figures(now));
            }
        }
        let log = self.log.iter().rev().map(|line| Line::from(line.as_str()));
        lines.extend(self.places.iter().map(|line| Line::from(line.as_str())).chain(log));
        frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: false }), all);
        frame.render_widget(self.keys(), keys);
    }

    fn keys(&self) -> Line<'static> {
        let said = match self.ends {
            true => "ends: requests that were read are completed",
            false => "q or Ctrl-C: end the server",
        };
        Line::from(said).reversed()
    }

    fn rates(&self) -> String {
        let [read, written, requests] = self.rates;
        let rate = |bytes: f64| format!("{}/s", Bytes::new(bytes as u64).rounded_down());
        format!(
            "throughput: {} read, {} written, {requests:.0} requests/s",
            rate(read),
            rate(written)
        )
    }

    fn draw_graphs(&self, frame: &mut Frame<'_>) {
        let rows = Layout::vertical([
            Constraint::Length(1),
            Constraint::Length(7),
            Constraint::Length(3),
            Constraint::Length(3),
            Constraint::Length(5),
            Constraint::Min(0),
            Constraint::Length(1),
        ]);
        let [title, throughput, response, free, figures, log, keys] = rows.areas(frame.area());
        frame.render_widget(Line::from(self.title.as_str()).bold(), title);
        match &self.now {
            None => frame.render_widget("waiting for the device", throughput),
            Some(now) => {
                self.draw_throughput(frame, throughput);
                draw_response(now, frame, response);
                draw_free(now, frame, free);
                frame.render_widget(Paragraph::new(self.figures(now)), figures);
            }
        }
        let lines = self.places.iter().chain(&self.log).map(|line| Line::from(line.as_str()));
        let lines: Vec<_> = lines.collect();
        let skipped = lines.len().saturating_sub(usize::from(log.height).saturating_sub(1));
        let block = Block::new().title("log").borders(ratatui::widgets::Borders::TOP);
        frame.render_widget(Paragraph::new(lines[skipped..].to_vec()).block(block), log);
        frame.render_widget(self.keys(), keys);
    }

    fn draw_throughput(&self, frame: &mut Frame<'_>, area: Rect) {
        let width = usize::from(area.width.saturating_sub(2));
        let data: Vec<u64> = self
            .throughput
            .iter()
            .copied()
            .skip(self.throughput.len().saturating_sub(width))
            .collect();
        let graph = Sparkline::default().block(Block::bordered().title(self.rates())).data(data);
        frame.render_widget(graph.style(Style::new().fg(Color::Cyan)), area);
    }

    fn figures(&self, now: &Summary) -> Vec<Line<'static>> {
        let waf = |waf: Option<f64>| waf.map_or_else(|| "-".into(), |waf| format!("{waf:.3}"));
        let (least, mean, most) = now.run.erases_per_block;
        let taken = now.run.requests_taken + self.refused;
        let refused = now.run.requests_refused + self.refused;
        let faults = now.faults.map_or_else(String::new, |faults| {
            format!(
                "; {} failed programs, {} failed erases, {} uncorrectable reads",
                faults.failed_programs, faults.failed_erases, faults.uncorrectable_reads
            )
        });
        vec![
            format!("WAF       {} now, {} since the start", waf(self.recent_waf), waf(now.run.waf))
                .into(),
            format!(
                "wear      {least} / {mean:.1} / {most} erases of the least, mean, most worn \
                 block; index {:.3}",
                now.run.wear_index
            )
            .into(),
            format!(
                "requests  {taken} taken = {} completed + {refused} refused; {} connections",
                now.run.requests, self.connections
            )
            .into(),
            format!(
                "pages     {} programmed, {} copied; {} blocks erased",
                now.pages_programmed, now.run.copies, now.run.erases
            )
            .into(),
            format!("blocks    {} bad{faults}", now.bad_blocks).into(),
        ]
    }
}

fn micros(ns: u64) -> String {
    format!("{:.1} µs", ns as f64 / 1000.0)
}

fn gauge(title: String, share: f64, label: String, color: Color) -> Gauge<'static> {
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    Gauge::default()
        .block(Block::bordered().title(title))
        .ratio(share)
        .label(label)
        .gauge_style(Style::new().fg(color))
}

fn response_title(now: &Summary) -> String {
    let response = &now.run.response_ns;
    let p99_9 = response.p99_9.map_or_else(|| "-".into(), micros);
    format!("response: mean {}, p99.9 {p99_9}", micros(response.mean as u64))
}

/// The worst response against the bound, and the colour that says whether it is kept.
fn response(now: &Summary) -> (String, Color) {
    let worst = micros(now.run.response_ns.max);
    match now.run.bound_ns.map(micros) {
        None => (format!("worst {worst}; no bound"), Color::Gray),
        Some(bound) if now.run.violations == 0 => {
            (format!("worst {worst} of the bound {bound}"), Color::Green)
        }
        Some(bound) => {
            let exceeded = now.run.violations;
            (
                format!("worst {worst} of the bound {bound}; EXCEEDED by {exceeded} page tasks"),
                Color::Red,
            )
        }
    }
}

fn draw_response(now: &Summary, frame: &mut Frame<'_>, area: Rect) {
    let (label, color) = response(now);
    let share = now.run.bound_ns.map_or(0.0, |bound| now.run.response_ns.max as f64 / bound as f64);
    frame.render_widget(gauge(response_title(now), share, label, color), area);
}

fn free(now: &Summary) -> String {
    let blocks = now.free_pages as f64 / f64::from(now.run.pages_per_block);
    format!("{} pages, as many as {blocks:.1} blocks", now.free_pages)
}

fn draw_free(now: &Summary, frame: &mut Frame<'_>, area: Rect) {
    let physical = now.run.logical_pages as f64 / now.run.logical_share;
    let share = now.free_pages as f64 / physical;
    frame.render_widget(gauge("free".into(), share, free(now), Color::Blue), area);
}

#[cfg(test)]
mod tests {
    use super::*;
    use lab::report::SchemeReport;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    fn drawn(view: &View, width: u16, height: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| view.draw(frame)).unwrap();
        terminal.backend().to_string()
    }

    #[test]
    fn figures_of_the_account_are_on_the_screen() {
        let mut view = View::new("lazy-rtgc of 7MiB".into(), vec!["nbd://127.0.0.1:1".into()]);
        let screen = drawn(&view, 100, 30);
        for part in ["lazy-rtgc of 7MiB", "waiting", "nbd://127.0.0.1:1", "q or Ctrl-C"] {
            assert!(screen.contains(part), "`{part}` is not in\n{screen}");
        }
        let run = SchemeReport {
            elapsed_ns: 1_000_000_000,
            write_tasks: 100,
            waf: Some(1.0),
            logical_share: 0.875,
            ..SchemeReport::default()
        };
        let before = Summary { pages_programmed: 100, run, ..Summary::default() };
        let run = SchemeReport {
            elapsed_ns: 3_000_000_000,
            requests_taken: 5,
            requests: 4,
            requests_refused: 1,
            write_tasks: 200,
            waf: Some(1.25),
            pages_per_block: 64,
            logical_pages: 896,
            bound_ns: Some(2_220_900),
            erases_per_block: (1, 2.5, 7),
            ..before.run.clone()
        };
        let mut now = Summary {
            bytes_read: 8 << 20,
            bytes_written: 4 << 20,
            pages_programmed: 250,
            free_pages: 96,
            run,
            ..before.clone()
        };
        now.run.response_ns.max = 1_110_450;
        view.add(Arc::new(before), 0, 1);
        view.add(Arc::new(now.clone()), 2, 3);
        let screen = drawn(&view, 100, 30);
        for part in [
            "4MiB/s read, 2MiB/s written",
            "worst 1110.5 µs of the bound 2220.9 µs",
            "96 pages, as many as 1.5 blocks",
            "1.500 now, 1.250 since the start",
            "1 / 2.5 / 7 erases",
            "7 taken = 4 completed + 3 refused; 3 connections",
        ] {
            assert!(screen.contains(part), "`{part}` is not in\n{screen}");
        }
        now.run.violations = 2;
        view.add(Arc::new(now), 2, 3);
        view.ends = true;
        let screen = drawn(&view, 100, 30);
        assert!(
            screen.contains("EXCEEDED by 2 page tasks") && screen.contains("are completed"),
            "{screen}"
        );
        // A small window has the figures without graphs.
        view.log = vec!["first".into(), "newest of the log".into()];
        for (width, height, parts) in [
            (80, 13, &["requests/s", "1110.5 µs of the bound", "1 / 2.5 / 7", "0 bad", "q or"][..]),
            (50, 24, &["requests/s", "96 pages", "7 taken", "newest of the log"]),
        ] {
            view.ends = false;
            let screen = drawn(&view, width, height);
            for part in parts {
                assert!(screen.contains(part), "`{part}` is not in\n{screen}");
            }
        }
        // Any size is drawn.
        for (width, height) in [(1, 1), (20, 5), (40, 12), (200, 60)] {
            drawn(&view, width, height);
        }
    }
}
