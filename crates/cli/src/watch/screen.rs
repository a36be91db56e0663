//! A terminal's worth of characters, each with a tone: what is shown, and not how.

/// How a character is meant. What has a colour has a character that says the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// Text.
    #[default]
    Plain,
    /// What matters most.
    Strong,
    /// What matters least.
    Faint,
    /// A line across the top.
    Title,
    /// Something that the user must see.
    Alert,
    /// A step of the scale of heat, 0 (nothing) to 9 (full).
    Heat(u8),
}

/// A character in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// One column wide.
    pub character: char,
    /// How it is meant.
    pub tone: Tone,
}

impl Cell {
    const EMPTY: Self = Self {
        character: ' ',
        tone: Tone::Plain,
    };
}

/// Rows of cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Screen {
    width: u16,
    height: u16,
    cells: Vec<Cell>,
}

impl Screen {
    /// All spaces.
    pub fn new(width: u16, height: u16) -> Self {
        Self {
            width,
            height,
            cells: vec![Cell::EMPTY; usize::from(width) * usize::from(height)],
        }
    }

    /// Columns.
    pub fn width(&self) -> u16 {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> u16 {
        self.height
    }

    /// The cell in column `x` of row `y`; `None` outside.
    pub fn cell(&self, x: u16, y: u16) -> Option<Cell> {
        self.place(x, y).map(|place| self.cells[place])
    }

    fn place(&self, x: u16, y: u16) -> Option<usize> {
        (x < self.width && y < self.height)
            .then(|| usize::from(y) * usize::from(self.width) + usize::from(x))
    }

    /// Sets a cell; nothing outside.
    pub fn set(&mut self, x: u16, y: u16, character: char, tone: Tone) {
        if let Some(place) = self.place(x, y) {
            // A name may hold anything; a control character would move what follows.
            let character = if character.is_control() {
                '?'
            } else {
                character
            };
            self.cells[place] = Cell { character, tone };
        }
    }

    /// Writes `text` from there on, cut at the right edge with an ellipsis. Returns the column behind.
    pub fn text(&mut self, x: u16, y: u16, text: &str, tone: Tone) -> u16 {
        let room = usize::from(self.width.saturating_sub(x));
        let is_cut = text.chars().count() > room;
        let mut at = x;
        for (i, character) in text.chars().take(room).enumerate() {
            let last = is_cut && i + 1 == room;
            self.set(at, y, if last { '…' } else { character }, tone);
            at += 1;
        }
        at
    }

    /// A row's cells.
    pub fn row(&self, y: u16) -> &[Cell] {
        let start = usize::from(y) * usize::from(self.width);
        &self.cells[start..start + usize::from(self.width)]
    }

    /// The characters alone, a line a row, without spaces at the ends.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for y in 0..self.height() {
            let line: String = self.row(y).iter().map(|cell| cell.character).collect();
            text += line.trim_end();
            text.push('\n');
        }
        text
    }
}
