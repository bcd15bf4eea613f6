use super::*;
use ZoneState::{Closed, Empty, ExplicitlyOpened, Full, ImplicitlyOpened, Offline, ReadOnly};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

const CAPACITY: u32 = 3;

/// The specification's tables as they are printed: every figure is counted anew over all zones, so that no count can go
/// wrong with time.
#[derive(Clone)]
struct Model {
    zones: Vec<(ZoneState, u32)>,
    /// Zones in the order in which they were opened implicitly; those that are no more are left in.
    opened: Vec<u32>,
    limits: ZoneLimits,
}

impl Model {
    fn count(&self, states: &[ZoneState]) -> u32 {
        self.zones.iter().filter(|(state, _)| states.contains(state)).count() as u32
    }

    /// Opens a zone that is empty or closed.
    fn open(&mut self, zone: u32, to: ZoneState) -> Result<(), Refusal> {
        let active = self.count(&[ImplicitlyOpened, ExplicitlyOpened, Closed]);
        let open = self.count(&[ImplicitlyOpened, ExplicitlyOpened]);
        if self.zones[zone as usize].0 == Empty && active == self.limits.active {
            return Err(Refusal::TooManyActive);
        }
        if open == self.limits.open {
            let is_implicit = |zone: &u32| self.zones[*zone as usize].0 == ImplicitlyOpened;
            let Some(first) = self.opened.iter().copied().find(is_implicit) else {
                return Err(Refusal::TooManyOpen);
            };
            self.zones[first as usize].0 = Closed;
        }
        self.set(zone, to);
        Ok(())
    }

    fn set(&mut self, zone: u32, state: ZoneState) {
        self.opened.retain(|opened| *opened != zone);
        self.opened.push(zone);
        self.zones[zone as usize].0 = state;
    }

    fn write(&mut self, zone: u32, page: Option<u32>, pages: u32) -> Result<(), Refusal> {
        let (state, written) = self.zones[zone as usize];
        match state {
            Full => Err(Refusal::ZoneFull),
            ReadOnly => Err(Refusal::ZoneReadOnly),
            Offline => Err(Refusal::ZoneOffline),
            _ if page.unwrap_or(written) != written => Err(Refusal::InvalidWrite),
            _ if written + pages > CAPACITY => Err(Refusal::ZoneBoundary),
            Empty | Closed => self.open(zone, ImplicitlyOpened),
            ImplicitlyOpened | ExplicitlyOpened => Ok(()),
        }
    }

    fn wrote(&mut self, zone: u32) {
        let of_zone = &mut self.zones[zone as usize];
        of_zone.1 += 1;
        if of_zone.1 == CAPACITY {
            of_zone.0 = Full;
        }
    }

    fn manage(&mut self, zone: u32, action: ZoneAction) -> Result<bool, Refusal> {
        let state = self.zones[zone as usize].0;
        let to = match action {
            ZoneAction::Open => ExplicitlyOpened,
            ZoneAction::Close => Closed,
            ZoneAction::Finish => Full,
            ZoneAction::Reset => Empty,
        };
        // Rows: the present state. Columns: open, close, finish, reset.
        let row = match state {
            Empty => [true, false, true, true],
            ImplicitlyOpened | ExplicitlyOpened | Closed => [true; 4],
            Full => [false, false, true, true],
            ReadOnly | Offline => [false; 4],
        };
        if !row[action as usize] {
            return Err(Refusal::InvalidTransition);
        }
        if state == to {
            return Ok(false);
        }
        if action == ZoneAction::Open && matches!(state, Empty | Closed) {
            self.open(zone, to)?;
        } else {
            self.set(zone, to);
        }
        if action == ZoneAction::Reset {
            self.zones[zone as usize].1 = 0;
        }
        Ok(true)
    }
}

/// Refusals seen, by number, and states entered.
type Seen = ([u32; Refusal::ALL.len()], [u32; ZoneState::ALL.len()]);

fn run(seed: u64, limits: ZoneLimits, seen: &mut Seen) {
    let mut random = Pcg64::seed_from_u64(seed);
    let zones = 6;
    let mut machine = Machine::new(zones, CAPACITY, limits);
    let mut model = Model { zones: vec![(Empty, 0); zones as usize], opened: Vec::new(), limits };
    for step in 0..2000 {
        let zone = random.random_range(0..zones);
        let action = [ZoneAction::Open, ZoneAction::Close, ZoneAction::Finish, ZoneAction::Reset]
            [random.random_range(0..4usize)];
        let (found, expected) = match random.random_range(0..8) {
            0..=2 => {
                // Mostly at the write pointer.
                let page = match random.random_range(0..4) {
                    0 => random.random_range(0..CAPACITY),
                    _ => machine.written(zone).min(CAPACITY - 1),
                };
                let results = (machine.admit_write(zone, page), model.write(zone, Some(page), 1));
                if results.0.is_ok() {
                    machine.wrote(zone);
                    model.wrote(zone);
                }
                results
            }
            3 => {
                let pages = random.random_range(1..=2);
                let results = (machine.admit_append(zone, pages), model.write(zone, None, pages));
                if let Ok(page) = results.0 {
                    assert_eq!(page, model.zones[zone as usize].1);
                    (0..pages).for_each(|_| machine.wrote(zone));
                    (0..pages).for_each(|_| model.wrote(zone));
                }
                (results.0.map(drop), results.1)
            }
            4 if random.random_range(0..40) == 0 => {
                // The medium fails.
                let state = [Full, ReadOnly, Offline][random.random_range(0..3usize)];
                machine.set(zone, state, CAPACITY);
                model.set(zone, state);
                model.zones[zone as usize].1 = CAPACITY;
                (Ok(()), Ok(()))
            }
            _ => (machine.manage(zone, action).map(drop), model.manage(zone, action).map(drop)),
        };
        assert_eq!(found, expected, "seed {seed}, step {step}, zone {zone}, {action:?}");
        if let Err(refusal) = found {
            seen.0[refusal as usize] += 1;
        }
        for (zone, (state, written)) in (0..).zip(&model.zones) {
            let found = (machine.state(zone), machine.written(zone));
            assert_eq!(found, (*state, *written), "seed {seed}, step {step}, zone {zone}");
            seen.1[*state as usize] += 1;
        }
        let open = model.count(&[ImplicitlyOpened, ExplicitlyOpened]);
        let active = open + model.count(&[Closed]);
        assert_eq!((machine.open, machine.active()), (open, active));
        assert!(open <= limits.open && active <= limits.active);
        assert_eq!(machine.states(), ZoneState::ALL.map(|state| model.count(&[state])));
    }
}

#[test]
fn random_commands_end_as_in_the_specification() {
    let mut seen: Seen = Default::default();
    for (seed, (open, active)) in (0..).zip([(1, 1), (1, 3), (2, 2), (2, 4), (3, 6), (14, 14)]) {
        for run_of in 0..20 {
            run(seed * 100 + run_of, ZoneLimits { open, active }, &mut seen);
        }
    }
    let (refusals, states) = seen;
    assert!(states.iter().all(|count| *count > 0), "{states:?}");
    let of_state = [
        Refusal::ZoneBoundary,
        Refusal::ZoneFull,
        Refusal::ZoneReadOnly,
        Refusal::ZoneOffline,
        Refusal::InvalidWrite,
        Refusal::TooManyActive,
        Refusal::TooManyOpen,
        Refusal::InvalidTransition,
    ];
    for refusal in of_state {
        assert!(refusals[refusal as usize] > 0, "{refusal} was never seen");
    }
}

#[test]
fn the_zone_opened_first_is_closed_for_another_and_can_be_written_on() {
    let mut machine = Machine::new(4, 8, ZoneLimits { open: 2, active: 3 });
    for zone in [2, 0] {
        machine.admit_write(zone, 0).unwrap();
        machine.wrote(zone);
    }
    machine.admit_write(1, 0).unwrap();
    assert_eq!(
        [0, 1, 2].map(|zone| machine.state(zone)),
        [ImplicitlyOpened, ImplicitlyOpened, Closed]
    );
    assert_eq!(machine.admit_write(3, 0), Err(Refusal::TooManyActive));
    machine.admit_write(2, 1).unwrap();
    assert_eq!(machine.state(0), Closed);
    assert_eq!((machine.log.implicit_closes, machine.log.most_open), (2, 2));
}

#[test]
fn names_and_numbers_agree_with_the_lists() {
    assert!(Refusal::ALL.iter().enumerate().all(|(at, refusal)| *refusal as usize == at));
    assert!(ZoneState::ALL.iter().enumerate().all(|(at, state)| *state as usize == at));
}

/// What is open when a measurement begins counts among the most that were open.
#[test]
fn a_new_log_knows_what_is_open() {
    let mut machine = Machine::new(4, 8, ZoneLimits { open: 2, active: 3 });
    for zone in 0..2 {
        machine.manage(zone, ZoneAction::Open).unwrap();
    }
    machine.manage(1, ZoneAction::Close).unwrap();
    machine.restart_log();
    assert_eq!((machine.log.most_open, machine.log.most_active), (1, 2));
    assert_eq!(machine.log.explicit_opens, 0);
}
