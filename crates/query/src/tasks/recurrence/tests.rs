use super::*;

fn day(text: &str) -> Day {
    Day::read(text).unwrap()
}

fn next(rule: &str, from: &str) -> String {
    let recurrence = Recurrence::read(rule).unwrap_or_else(|| panic!("{rule}"));
    let next = recurrence.next_reference(day(from).number().unwrap());
    next.and_then(date_of).map_or("none".into(), |date| Day::of(date).to_string())
}

#[test]
fn rules_are_written_as_the_library_writes_them() {
    for (read, written) in [
        ("every day", "every day"),
        ("every 3 days", "every 3 days"),
        ("every Sunday", "every week on Sunday"),
        ("every weekday", "every weekday"),
        ("every 2 weeks on Mo and We", "every 2 weeks on Monday, Wednesday"),
        ("every month on the last Friday", "every month on the last Friday"),
        ("every month on the 2nd last Fri", "every month on the 2nd last Friday"),
        ("every April and December on the 1st and 24th", "every April and December on the 1st and 24th"),
        ("every month on the first and 15th", "every month on the 1st and 15th"),
        ("every January on the 15th", "every January on the 15th"),
        ("EVERY 1 YEAR", "every year"),
        ("every day for 3 times", "every day for 3 times"),
        ("every day until January 1, 2030", "every day until January 1, 2030"),
        ("every week on Tuesday when done", "every week on Tuesday when done"),
        ("every day at 9, 17", "every day at 9 and 17"),
        ("every year in week 3", "every year in week 3"),
    ] {
        assert_eq!(Recurrence::read(read).unwrap().to_text(), written, "{read}");
    }
}

#[test]
fn what_the_library_does_not_understand_is_no_rule() {
    for text in [
        "",
        "day",
        "every",
        "every 3",
        "every blue moon",
        "every month on the 400th",
        "every day for",
        "every day until tomorrow",
        "every 0 days",
        "jeden Tag",
        "every week on ü",
    ] {
        assert_eq!(Recurrence::read(text), None, "{text}");
    }
}

#[test]
fn the_next_day_follows_the_rule() {
    for (rule, from, expected) in [
        ("every month on the last", "2022-01-31", "2022-02-28"),
        ("every month on the 31st", "2022-01-31", "2022-03-31"),
        ("every 6 months on the 2nd Wednesday", "2026-01-14", "2026-07-08"),
        ("every month on the 2nd last Friday", "2026-01-23", "2026-02-20"),
        ("every month", "2021-10-31", "2021-11-30"),
        ("every 2 months", "2021-12-31", "2022-02-28"),
        ("every year", "2020-02-29", "2021-02-28"),
        ("every weekday", "2024-03-08", "2024-03-11"),
        ("every 2 weeks on Monday", "2024-03-06", "2024-03-18"),
        ("every 25 hours", "2024-03-06", "2024-03-07"),
        ("every February on the 30th", "2024-03-06", "none"),
        ("every day until January 1, 2024", "2024-03-06", "none"),
        ("every 13 months in July", "2023-05-31", "2023-07-30"),
    ] {
        assert_eq!(next(rule, from), expected, "{rule} from {from}");
    }
}

#[test]
fn other_dates_keep_their_distance() {
    let dates = Occurrence { start: Some(day("2024-01-29")), scheduled: Some(day("2024-01-30")), due: Some(day("2024-01-31")) };
    let monthly = Recurrence::read("every month").unwrap();
    let next = monthly.next(dates, day("2024-03-15"), false).unwrap();
    assert_eq!(
        next,
        Occurrence { start: Some(day("2024-02-27")), scheduled: Some(day("2024-02-28")), due: Some(day("2024-02-29")) }
    );
    assert_eq!(monthly.next(dates, day("2024-03-15"), true).unwrap().scheduled, None);
    let when_done = Recurrence::read("every month when done").unwrap();
    assert_eq!(when_done.next(dates, day("2024-03-15"), false).unwrap().due, Some(day("2024-04-15")));
    assert_eq!(monthly.next(Occurrence::default(), day("2024-03-15"), false), Some(Occurrence::default()));
    let scheduled = Occurrence { due: None, ..dates };
    assert_eq!(
        monthly.next(scheduled, day("2024-03-15"), true).unwrap().start,
        Some(day("2024-02-29")),
        "start counts before scheduled then"
    );
    let impossible = Occurrence { due: Some(day("2024-02-30")), ..Occurrence::default() };
    assert_eq!(monthly.next(impossible, day("2024-03-15"), false), None);
}

#[test]
fn a_rule_that_would_be_written_as_another_one_is_kept_as_it_was() {
    let text = "every month in January";
    let recurrence = Recurrence::read(text).unwrap();
    assert_eq!(recurrence.to_text(), "every January");
    assert_eq!(recurrence.written(text), text);
}
