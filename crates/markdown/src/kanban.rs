//! Kanban boards in notes: lanes are headings, cards are list items, and both are moved as the bytes they stand on.

use crate::span::{Lines, Span, line_end, next_line};
use crate::{Edit, Eol, Note};

/// A board: its lanes from left to right, what was archived, and its settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    pub lanes: Vec<Lane>,
    pub archive: Vec<Card>,
    /// The JSON of the settings.
    pub settings: Option<Span>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    pub title: String,
    /// How many cards it should have at most.
    pub max: Option<usize>,
    /// Cards that come here are checked.
    pub is_complete: bool,
    pub line: usize,
    pub cards: Vec<Card>,
    /// Behind the heading and what belongs to it.
    head_end: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    /// Without check box, block id and indentation; the first line and those that continue it.
    pub text: String,
    /// What stands in the check box; nothing if there is none.
    pub mark: Option<char>,
    pub block_id: Option<String>,
    pub line: usize,
    /// All lines, with the ending of the last one.
    pub span: Span,
    mark_span: Option<Span>,
}

impl Card {
    pub fn is_checked(&self) -> bool {
        self.mark.is_some_and(|mark| mark != ' ')
    }
}

/// Where a card goes in its lane; `At` counts from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CardPlace {
    Top,
    Bottom,
    At(usize),
}

/// Reads a note as a board. Whether it is one, its frontmatter says.
pub fn parse_board(text: &str) -> Board {
    let note_start = Note::parse(text).body;
    let lines = Lines::of(text);
    let spans: Vec<Span> = lines.spans_from(text, note_start).collect();
    let mut board = Board { lanes: Vec::new(), archive: Vec::new(), settings: None };
    let mut in_archive = false;
    let mut after_break = false;
    let mut place = 0;
    while place < spans.len() {
        let line = &text[spans[place].clone()];
        if line.trim_end() == "%% kanban:settings" {
            board.settings = settings_span(text, &spans[place + 1..]);
            break;
        }
        if let Some(title) = heading(line) {
            in_archive = after_break;
            if !in_archive {
                let (title, max) = with_limit(title);
                let head_end = next_line(text, spans[place].end.min(text.len()));
                let line = lines.line_at(spans[place].start);
                board.lanes.push(Lane { title, max, is_complete: false, line, cards: Vec::new(), head_end });
            }
        } else if let Some(item) = item(line) {
            let end = card_end(text, &spans, place);
            let card = card(text, &spans[place..end], &item, lines.line_at(spans[place].start));
            match board.lanes.last_mut().filter(|_| !in_archive) {
                Some(lane) => lane.cards.push(card),
                None if in_archive => board.archive.push(card),
                None => {}
            }
            place = end;
            after_break = false;
            continue;
        } else if is_bold(line)
            && let Some(lane) = board.lanes.last_mut().filter(|lane| !in_archive && lane.cards.is_empty())
        {
            // The word for it is in the language of the app.
            lane.is_complete = true;
            lane.head_end = next_line(text, spans[place].end.min(text.len()));
        }
        if !line.trim().is_empty() {
            after_break = matches!(line.trim(), "***" | "---" | "___");
        }
        place += 1;
    }
    board
}

fn heading(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    ((1..=6).contains(&level) && rest.starts_with([' ', '\t'])).then(|| rest.trim())
}

/// `Doing (3)` is a lane called Doing for three cards.
fn with_limit(title: &str) -> (String, Option<usize>) {
    let split = title.strip_suffix(')').and_then(|rest| rest.rsplit_once('('));
    match split.and_then(|(name, number)| Some((name, number.parse().ok()?))) {
        Some((name, max)) if !name.trim().is_empty() => (name.trim().to_owned(), Some(max)),
        _ => (title.to_owned(), None),
    }
}

fn is_bold(line: &str) -> bool {
    let inner = line.trim().strip_prefix("**").and_then(|rest| rest.strip_suffix("**"));
    inner.is_some_and(|inner| !inner.is_empty() && !inner.contains('*'))
}

struct Item {
    mark: Option<char>,
    mark_span: Option<Span>,
    /// Where its text begins in the line.
    text: usize,
}

/// A list item that is not indented.
fn item(line: &str) -> Option<Item> {
    let rest = line.strip_prefix(['-', '*', '+'])?.strip_prefix([' ', '\t'])?;
    let start = line.len() - rest.len();
    let boxed = rest.strip_prefix('[').and_then(|rest| {
        let mark = rest.chars().next()?;
        let after = rest[mark.len_utf8()..].strip_prefix(']')?;
        let text = if after.is_empty() { after } else { after.strip_prefix([' ', '\t'])? };
        let mark_start = start + 1;
        Some(Item { mark: Some(mark), mark_span: Some(mark_start..mark_start + mark.len_utf8()), text: line.len() - text.len() })
    });
    Some(boxed.unwrap_or(Item { mark: None, mark_span: None, text: start }))
}

/// A card goes on over indented lines, and over blank ones if an indented one follows.
fn card_end(text: &str, spans: &[Span], start: usize) -> usize {
    let mut end = start + 1;
    let mut blank = 0;
    for place in start + 1..spans.len() {
        let line = &text[spans[place].clone()];
        let is_indented = line.starts_with([' ', '\t']);
        if line.trim().is_empty() {
            blank += 1;
        } else if is_indented || (blank == 0 && is_plain(line)) {
            end = place + 1;
            blank = 0;
        } else {
            break;
        }
    }
    end
}

/// A line that can continue a paragraph without being indented.
fn is_plain(line: &str) -> bool {
    heading(line).is_none() && item(line).is_none() && !line.starts_with("%%") && !matches!(line.trim(), "***" | "---" | "___")
}

fn card(text: &str, lines: &[Span], item: &Item, line: usize) -> Card {
    let first = &lines[0];
    let last = lines.last().unwrap_or(first);
    let mut parts = vec![text[first.start + item.text..first.end].to_owned()];
    parts.extend(lines[1..].iter().map(|line| dedented(&text[line.clone()]).to_owned()));
    let mut block_id = None;
    for part in [0, parts.len() - 1] {
        if let Some((rest, id)) = split_block_id(&parts[part]).filter(|_| block_id.is_none()) {
            (parts[part], block_id) = (rest.to_owned(), Some(id.to_owned()));
        }
    }
    let shifted = |span: &Span| first.start + span.start..first.start + span.end;
    Card {
        text: parts.join("\n").trim_end().to_owned(),
        mark: item.mark,
        block_id: block_id.clone(),
        line,
        span: first.start..next_line(text, last.end),
        mark_span: item.mark_span.as_ref().map(shifted),
    }
}

fn dedented(line: &str) -> &str {
    let spaces = line.bytes().take(4).take_while(|byte| *byte == b' ').count();
    line.strip_prefix('\t').unwrap_or(&line[spaces..])
}

fn split_block_id(line: &str) -> Option<(&str, &str)> {
    let (rest, id) = line.trim_end().rsplit_once(" ^")?;
    let is_id = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    is_id.then(|| (rest.trim_end(), id))
}

/// What stands in the fence of the settings.
fn settings_span(text: &str, lines: &[Span]) -> Option<Span> {
    let open = lines.iter().position(|line| text[line.clone()].starts_with("```"))?;
    let close = lines[open + 1..].iter().position(|line| text[line.clone()].starts_with("```"))?;
    let (start, end) = (lines[open + 1].start, lines[open + 1 + close].start);
    Some(start..end)
}

/// The edit that adds a card to a lane; a lane of finished cards gets it checked.
pub fn add_card(text: &str, board: &Board, lane: usize, place: CardPlace, card: &str) -> Option<Edit> {
    let mark = if board.lanes.get(lane)?.is_complete { 'x' } else { ' ' };
    let eol = Eol::dominant(text).as_str();
    let mut lines = card.lines();
    let mut written = format!("- [{mark}] {}{eol}", lines.next().unwrap_or_default().trim());
    for line in lines {
        let line = line.trim_end();
        written.push_str(&if line.is_empty() { eol.to_owned() } else { format!("\t{line}{eol}") });
    }
    Some(insert(text, board, lane, place, written))
}

/// The edits that move a card, with all its lines. A card that comes to a lane of finished cards is checked, one that leaves
/// it for another is not.
pub fn move_card(text: &str, board: &Board, from: (usize, usize), lane: usize, place: CardPlace) -> Option<Vec<Edit>> {
    let source = board.lanes.get(from.0)?;
    let card = source.cards.get(from.1)?;
    let target = board.lanes.get(lane)?;
    let mut written = text[card.span.clone()].to_owned();
    if source.is_complete != target.is_complete
        && let Some(mark) = &card.mark_span
    {
        let mark = mark.start - card.span.start..mark.end - card.span.start;
        written.replace_range(mark, if target.is_complete { "x" } else { " " });
    }
    if !written.ends_with('\n') {
        written.push_str(Eol::dominant(text).as_str());
    }
    // Places count without the card itself, which has been taken out by then.
    let place = match place {
        CardPlace::At(place) if lane == from.0 && place >= from.1 => CardPlace::At(place + 1),
        other => other,
    };
    let insertion = insert(text, board, lane, place, written);
    if insertion.range.start == card.span.start || insertion.range.start == card.span.end && lane == from.0 {
        return Some(Vec::new());
    }
    Some(vec![Edit::replace(card.span.clone(), String::new()), insertion])
}

fn insert(text: &str, board: &Board, lane: usize, place: CardPlace, written: String) -> Edit {
    let eol = Eol::dominant(text).as_str();
    let lane = &board.lanes[lane];
    let at = match place {
        CardPlace::Top => 0,
        CardPlace::Bottom => lane.cards.len(),
        CardPlace::At(place) => place.min(lane.cards.len()),
    };
    let offset = match (lane.cards.get(at), lane.cards.last()) {
        (Some(card), _) => card.span.start,
        (None, Some(last)) => last.span.end,
        (None, None) => {
            let after = &text[lane.head_end..];
            let is_blank = after.starts_with('\n') || after.starts_with("\r\n");
            let (offset, lead) = match (lane.is_complete, is_blank, text[..lane.head_end].ends_with('\n')) {
                (false, true, _) => (next_line(text, lane.head_end), String::new()),
                (true, _, true) => (lane.head_end, String::new()),
                (_, _, true) => (lane.head_end, eol.to_owned()),
                _ => (lane.head_end, format!("{eol}{eol}")),
            };
            // Text that follows would become part of the card.
            let next = &text[offset..line_end(text, offset)];
            let tail = if next.trim().is_empty() || !is_plain(next) { "" } else { eol };
            return Edit::insert(offset, format!("{lead}{written}{tail}"));
        }
    };
    let lead = if offset > 0 && !text[..offset].ends_with('\n') { eol } else { "" };
    Edit::insert(offset, format!("{lead}{written}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Edits;

    const BOARD: &str = "---\n\nkanban-plugin: board\n\n---\n\n## To do (2)\n\n- [ ] one ^abc\n- [ ] two @{2024-01-05}\n\tmore of two\n\n\tand more\n- [ ] three\n\n\n## Empty\n\n\n\n## Done\n\n**Complete**\n- [x] four\n\n\n***\n\n## Archive\n\n- [x] old\n\n%% kanban:settings\n```\n{\"kanban-plugin\":\"board\"}\n```\n%%\n";

    fn apply(text: &str, edits: Vec<Edit>) -> String {
        Edits::new(edits).expect("apart").apply(text)
    }

    fn shown(text: &str) -> Vec<String> {
        let board = parse_board(text);
        let card = |card: &Card| format!("{}{}", card.mark.unwrap_or('-'), card.text.replace('\n', "/"));
        let lane = |lane: &Lane| format!("{}: {}", lane.title, lane.cards.iter().map(card).collect::<Vec<_>>().join(", "));
        board.lanes.iter().map(lane).collect()
    }

    #[test]
    fn a_board_is_read() {
        for text in [BOARD.to_owned(), BOARD.replace('\n', "\r\n")] {
            let board = parse_board(&text);
            assert_eq!(shown(&text), ["To do:  one,  two @{2024-01-05}/more of two//and more,  three", "Empty: ", "Done: xfour"]);
            assert_eq!((board.lanes[0].max, board.lanes[2].is_complete, board.archive.len()), (Some(2), true, 1));
            assert_eq!((board.lanes[0].cards[0].block_id.as_deref(), board.lanes[0].cards[1].line), (Some("abc"), 10));
            assert_eq!(board.settings.map(|span| text[span].trim().to_owned()).as_deref(), Some("{\"kanban-plugin\":\"board\"}"));
        }
    }

    #[test]
    fn cards_are_added_where_they_are_wanted() {
        let board = parse_board(BOARD);
        let added = |lane, place| {
            let text = apply(BOARD, vec![add_card(BOARD, &board, lane, place, "new\nsecond").expect("a lane")]);
            assert_eq!(text.len(), BOARD.len() + "- [ ] new\n\tsecond\n".len());
            shown(&text)[lane].clone()
        };
        assert!(added(0, CardPlace::Top).starts_with("To do:  new/second,  one"));
        assert!(added(0, CardPlace::Bottom).ends_with("three,  new/second"));
        assert!(added(0, CardPlace::At(2)).ends_with("and more,  new/second,  three"));
        assert_eq!(added(1, CardPlace::Bottom), "Empty:  new/second");
        assert_eq!(added(2, CardPlace::Top), "Done: xnew/second, xfour");
        let bare = "## A";
        let text = apply(bare, vec![add_card(bare, &parse_board(bare), 0, CardPlace::Top, "x").expect("a lane")]);
        assert_eq!(text, "## A\n\n- [ ] x\n");
    }

    #[test]
    fn cards_are_moved_with_all_their_lines() {
        let board = parse_board(BOARD);
        let moved = |from, lane, place| shown(&apply(BOARD, move_card(BOARD, &board, from, lane, place).expect("a card")));
        assert_eq!(
            moved((0, 1), 2, CardPlace::Bottom),
            ["To do:  one,  three", "Empty: ", "Done: xfour, xtwo @{2024-01-05}/more of two//and more"]
        );
        assert_eq!(moved((2, 0), 0, CardPlace::Top)[0], "To do:  four,  one,  two @{2024-01-05}/more of two//and more,  three");
        assert_eq!(moved((0, 2), 1, CardPlace::At(0))[1], "Empty:  three");
        assert_eq!(moved((0, 0), 0, CardPlace::At(1))[0], "To do:  two @{2024-01-05}/more of two//and more,  one,  three");
        assert_eq!(moved((0, 2), 0, CardPlace::Top)[0], "To do:  three,  one,  two @{2024-01-05}/more of two//and more");
        assert_eq!(move_card(BOARD, &board, (0, 0), 0, CardPlace::Top), Some(Vec::new()));
        assert_eq!(move_card(BOARD, &board, (0, 2), 0, CardPlace::Bottom), Some(Vec::new()));
    }
}
