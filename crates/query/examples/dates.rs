//! Answers questions about dates, one JSON object a line, for comparing with the libraries whose formats these are.

use std::io::{BufRead, Write};

use jiff::tz::{Offset, TimeZone};
use jiff::{Timestamp, Zoned};
use quillgate_query::moment::{self, Locale};
use quillgate_query::{Duration, luxon};
use serde_json::{Value, json};

fn main() {
    let (input, mut output) = (std::io::stdin().lock(), std::io::BufWriter::new(std::io::stdout().lock()));
    for line in input.lines() {
        let question: Value = serde_json::from_str(&line.expect("a line")).expect("JSON");
        writeln!(output, "{}", answer(&question)).expect("the answer is taken");
    }
}

fn answer(question: &Value) -> Value {
    let text = |name: &str| question[name].as_str().unwrap_or_default();
    let moment = |name: &str| {
        let milliseconds = question[name].as_i64().unwrap_or_default();
        let zone = match question["offset"].as_i64() {
            Some(minutes) => TimeZone::fixed(Offset::from_seconds(minutes as i32 * 60).expect("an offset")),
            None => TimeZone::get(text("zone")).expect("a zone of the system"),
        };
        Timestamp::from_millisecond(milliseconds).expect("a moment").to_zoned(zone)
    };
    let locale = || Locale::find(text("locale")).expect("a locale");
    let answer = |zoned: Option<Zoned>| zoned.map_or(Value::Null, |zoned| json!(zoned.timestamp().as_millisecond()));
    match text("ask") {
        "format" => json!(moment::format(&moment("at"), text("format"), locale())),
        "parse" => answer(moment::parse_strict(text("text"), text("format"), locale(), &moment("now"))),
        "relative" => json!(moment::from_now(&moment("at"), &moment("now"), locale())),
        "luxon" => json!(luxon::format(&moment("at"), text("format"))),
        "duration" => json!(luxon::format_duration(&duration(&question["units"]), text("format"))),
        "normalized" => json!(luxon::human(&luxon::normalized(&duration(&question["units"])))),
        "human" => json!(luxon::human(&duration(&question["units"]))),
        other => panic!("nobody asks {other}"),
    }
}

fn duration(units: &Value) -> Duration {
    Duration::from_units(std::array::from_fn(|unit| units[unit].as_f64().unwrap_or_default()))
}
