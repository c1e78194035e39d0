//! Functions that give their argument back, for every type of WIT.

use std::cell::Cell;

use exports::test::types::{handles, lists, maybes, named, primitives};
use named::{AccessRights, Colour, ManyFlags, Point, Shape, WideRecord};

wit_bindgen::generate!({ path: "../../wit/types", world: "types" });

struct Types;
export!(Types);

macro_rules! identities {
    ($($name:ident: $type:ty,)*) => {
        $(fn $name(value: $type) -> $type { value })*
    };
}

impl Guest for Types {
    fn root_function(the_value: String) -> String {
        the_value
    }

    identities! {
        give_root_record: RootRecord,
    }
}

impl primitives::Guest for Types {
    identities! {
        give_bool: bool,
        give_u8: u8,
        give_u16: u16,
        give_u32: u32,
        give_u64: u64,
        give_s8: i8,
        give_s16: i16,
        give_s32: i32,
        give_s64: i64,
        give_f32: f32,
        give_f64: f64,
        give_char: char,
        give_string: String,
    }

    fn add_two(first_number: i32, second_number: i32) -> i32 {
        first_number.wrapping_add(second_number)
    }

    fn nothing() {}
}

impl lists::Guest for Types {
    identities! {
        give_bools: Vec<bool>,
        give_bytes: Vec<u8>,
        give_s8s: Vec<i8>,
        give_u16s: Vec<u16>,
        give_u32s: Vec<u32>,
        give_s32s: Vec<i32>,
        give_u64s: Vec<u64>,
        give_s64s: Vec<i64>,
        give_f32s: Vec<f32>,
        give_f64s: Vec<f64>,
        give_chars: Vec<char>,
        give_strings: Vec<String>,
        give_nested: Vec<Vec<String>>,
        give_bytes_list: Vec<Vec<u8>>,
        give_options: Vec<Option<u32>>,
        give_pair: (String, u32),
        give_single: (String,),
        give_wide: (u8, i64, f64, bool, char, Vec<u8>),
        give_pairs: Vec<(String, u64)>,
    }
}

impl named::Guest for Types {
    identities! {
        give_point: Point,
        give_alias: Point,
        give_record: WideRecord,
        give_colour: Colour,
        give_rights: AccessRights,
        give_many_flags: ManyFlags,
        give_shape: Shape,
        give_shapes: Vec<Shape>,
    }
}

const POINT: Point = Point { x: 1, y: -2 };

impl maybes::Guest for Types {
    identities! {
        give_option: Option<u32>,
        give_option_string: Option<String>,
        give_option_option: Option<Option<u32>>,
        give_option_record: Option<Point>,
        give_option_list: Option<Vec<String>>,
        result_result: Result<Result<u32, String>, String>,
        give_result_both: (Result<u32, String>,),
        give_result_ok: (Result<u32, ()>,),
        give_result_error: (Result<(), String>,),
        give_result_bare: (Result<(), ()>,),
        give_results: Vec<Result<u32, String>>,
    }

    fn join(first: String, second: Option<String>) -> String {
        first + second.as_deref().unwrap_or("-")
    }

    fn result_both(fail: bool) -> Result<u32, String> {
        if fail { Err("it failed".into()) } else { Ok(7) }
    }

    fn result_ok(fail: bool) -> Result<u32, ()> {
        if fail { Err(()) } else { Ok(7) }
    }

    fn result_error(fail: bool) -> Result<(), String> {
        if fail {
            Err("it failed".into())
        } else {
            Ok(())
        }
    }

    fn result_bare(fail: bool) -> Result<(), ()> {
        if fail { Err(()) } else { Ok(()) }
    }

    fn result_record(fail: bool) -> Result<Vec<Point>, Point> {
        if fail { Err(POINT) } else { Ok(vec![POINT]) }
    }

    fn result_enum(fail: bool) -> Result<String, Colour> {
        if fail {
            Err(Colour::DarkBlue)
        } else {
            Ok("fine".into())
        }
    }

    fn result_variant(fail: bool) -> Result<String, Shape> {
        if fail {
            Err(Shape::At(POINT))
        } else {
            Ok("fine".into())
        }
    }
}

struct Counter(Cell<u32>);

impl handles::GuestCounter for Counter {
    fn new(start: u32) -> Self {
        Counter(Cell::new(start))
    }

    fn increment(&self) -> u32 {
        self.0.update(|value| value + 1);
        self.0.get()
    }

    fn from_text(text: String) -> handles::Counter {
        handles::Counter::new(Counter(Cell::new(text.len() as u32)))
    }
}

impl handles::Guest for Types {
    type Counter = Counter;

    fn take(value: handles::CounterBorrow<'_>) -> u32 {
        value.get::<Counter>().0.get()
    }

    fn make() -> handles::Counter {
        handles::Counter::new(Counter(Cell::new(0)))
    }

    fn plain(value: u32) -> u32 {
        value
    }
}
