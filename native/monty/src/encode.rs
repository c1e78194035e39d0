//! Values of Python as JSON text, in one of three forms.

use data_encoding::BASE64;
use monty_types::{
    MontyObject, MontyType, ObjectRef,
    unstable::{self, MontyGraph, MontyNode, NodeId},
};
use num_bigint::BigInt;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// The form of a value as JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// A MontyObject: each value has its type as a tag.
    Typed,
    /// The nearest JSON, as docs/values.md has it.
    Plain,
    /// For a prompt: as `repr()` shows it, and null for None.
    Shown,
    /// For the host's own functions: plain, but bytes and large integers have a tag.
    Host,
}

/// Integers beyond it are not exact in JSON that JavaScript reads.
const SAFE_INTEGER: u64 = (1 << 53) - 1;

/// Levels of containers, beyond which a marker stands.
const DEPTH_TYPED: usize = 60;
const DEPTH_PLAIN: usize = 200;
/// Characters that a string has at least before it is cut.
const SHORT: usize = 100;

/// Writes a value; soon after `room` characters there are only markers of what is left
/// out.
pub fn encode(value: &MontyObject, form: Form, room: Option<usize>) -> String {
    let (graph, root) = unstable::graph_parts(value);
    if form == Form::Shown {
        let is_none = matches!(unstable::root_node(value), MontyNode::None);
        return if is_none { "null".to_owned() } else { quote(&value.py_repr()) };
    }
    encode_node(graph, root, form, room)
}

/// Writes a value of an arena.
pub fn encode_node(graph: &MontyGraph, root: NodeId, form: Form, room: Option<usize>) -> String {
    let mut writer = Writer {
        graph,
        form,
        room: room.unwrap_or(usize::MAX),
        text: String::new(),
    };
    writer.value(root, 0);
    writer.text
}

struct Writer<'a> {
    graph: &'a MontyGraph,
    form: Form,
    room: usize,
    text: String,
}

impl Writer<'_> {
    fn value(&mut self, id: NodeId, depth: usize) {
        let reference = self.graph.value(id);
        let node = unstable::node(reference);
        let most = if self.form == Form::Typed { DEPTH_TYPED } else { DEPTH_PLAIN };
        if depth >= most && !node.is_leaf() {
            return self.marker("<too deep>");
        }
        if self.form == Form::Typed {
            self.typed(node, depth);
        } else {
            self.plain(node, reference, depth);
        }
    }

    fn typed(&mut self, node: &MontyNode, depth: usize) {
        match node {
            MontyNode::Int(value) if value.unsigned_abs() > SAFE_INTEGER => self.tagged("BigInt", &value.to_string()),
            MontyNode::BigInt(value) => self.tagged("BigInt", &digits(value)),
            MontyNode::Float(value) if !value.is_finite() => self.tagged("Float", float_name(*value)),
            MontyNode::Float(value) => {
                let number = number(*value);
                self.put(&format!(r#"{{"Float":{number}}}"#));
            }
            MontyNode::String(value) => {
                let text = self.fit(value);
                self.tagged("String", &text);
            }
            MontyNode::Bytes(value) => self.typed_bytes(value),
            MontyNode::Complex(value) => {
                let (real, imag) = (part(value.real), part(value.imag));
                self.put(&format!(r#"{{"Complex":{{"real":{real},"imag":{imag}}}}}"#));
            }
            MontyNode::Repr(value) => {
                let text = self.fit(value);
                self.tagged("Repr", &text);
            }
            // There is a marker for each; the number is for the plugin's clients.
            MontyNode::Cycle(shown) => {
                let shown = quote(shown);
                self.put(&format!(r#"{{"Cycle":[0,{shown}]}}"#));
            }
            MontyNode::List(ids) => self.typed_items("List", ids, depth),
            MontyNode::Tuple(ids) => self.typed_items("Tuple", ids, depth),
            MontyNode::Set(ids) => self.typed_items("Set", ids, depth),
            MontyNode::FrozenSet(ids) => self.typed_items("FrozenSet", ids, depth),
            MontyNode::Dict(pairs) => {
                self.put(r#"{"Dict":"#);
                self.typed_pairs(pairs, depth);
                self.put("}");
            }
            MontyNode::NamedTuple {
                type_name,
                field_names,
                values,
            } => {
                let (name, fields) = (quote(type_name), json(field_names));
                self.put(&format!(
                    r#"{{"NamedTuple":{{"type_name":{name},"field_names":{fields},"values":"#
                ));
                self.list(values, depth);
                self.put("}}");
            }
            MontyNode::ClassInstance { class_type, attrs, .. } => {
                let (name, is_dataclass) = self.class_of(*class_type);
                let name = quote(&name);
                if is_dataclass {
                    let fields = json(&self.names_of(attrs));
                    self.put(&format!(
                        r#"{{"Dataclass":{{"name":{name},"field_names":{fields},"attrs":"#
                    ));
                } else {
                    self.put(&format!(r#"{{"Instance":{{"name":{name},"attrs":"#));
                }
                self.typed_pairs(attrs, depth);
                self.put("}}");
            }
            MontyNode::ClassType(class) => self.tagged("Class", &class.name),
            MontyNode::Module { name, .. } => self.tagged("Module", name),
            MontyNode::NotImplemented => self.tagged("Repr", "NotImplemented"),
            MontyNode::Exception { exc_type, arg } => {
                let (name, arg) = (quote(&exc_type.to_string()), json(arg));
                self.put(&format!(r#"{{"Exception":{{"exc_type":{name},"arg":{arg}}}}}"#));
            }
            MontyNode::Type(MontyType::Exception(kind)) => self.tagged("Type", &kind.to_string()),
            // The crate's own form: a tag and its fields.
            leaf => self.put(&json(leaf)),
        }
    }

    fn plain(&mut self, node: &MontyNode, reference: ObjectRef<'_>, depth: usize) {
        match node {
            MontyNode::None => self.put("null"),
            MontyNode::Bool(value) => self.put(if *value { "true" } else { "false" }),
            MontyNode::Int(value) if value.unsigned_abs() > SAFE_INTEGER => self.large(&value.to_string()),
            MontyNode::Int(value) => self.put(&value.to_string()),
            MontyNode::BigInt(value) => self.large(&digits(value)),
            MontyNode::Float(value) if value.is_finite() => self.put(&number(*value)),
            MontyNode::Float(value) => self.put(&quote(float_name(*value))),
            MontyNode::Bytes(value) if self.form == Form::Host => {
                let text = BASE64.encode(value);
                self.tagged("Bytes", &text);
            }
            MontyNode::Bytes(value) => match std::str::from_utf8(value) {
                Ok(text) => self.string(text),
                Err(_) => {
                    let text = self.fit(&BASE64.encode(value));
                    self.tagged("base64", &text);
                }
            },
            MontyNode::List(ids) | MontyNode::Tuple(ids) => self.list(ids, depth),
            MontyNode::Set(ids) | MontyNode::FrozenSet(ids) => {
                let sorted = self.sorted(ids);
                self.list(&sorted, depth);
            }
            MontyNode::Dict(pairs) => {
                let named: Vec<_> = pairs.iter().map(|(key, value)| (self.name(*key), *value)).collect();
                self.object(&named, depth);
            }
            MontyNode::NamedTuple {
                field_names, values, ..
            } => {
                let named: Vec<_> = field_names.iter().cloned().zip(values.iter().copied()).collect();
                self.object(&named, depth);
            }
            MontyNode::ClassInstance { class_type, attrs, .. } if self.class_of(*class_type).1 => {
                let named: Vec<_> = attrs.iter().map(|(key, value)| (self.name(*key), *value)).collect();
                self.object(&named, depth);
            }
            MontyNode::Cycle(_) => self.put(r#""<cycle>""#),
            leaf => {
                let text = self.shown(leaf, reference);
                self.string(&text);
            }
        }
    }

    /// A value without a form of its own in JSON: as `str()` or `repr()` shows it.
    fn shown(&self, node: &MontyNode, reference: ObjectRef<'_>) -> String {
        match node {
            MontyNode::String(text) | MontyNode::Path(text) | MontyNode::Decimal(text) | MontyNode::Repr(text) => {
                text.clone()
            }
            MontyNode::Date(it) => format!("{:04}-{:02}-{:02}", it.year, it.month, it.day),
            MontyNode::DateTime(it) => {
                let date = format!("{:04}-{:02}-{:02}", it.year, it.month, it.day);
                let time = clock([it.hour, it.minute, it.second], it.microsecond, it.offset_seconds);
                format!("{date}T{time}")
            }
            MontyNode::Time(it) => clock([it.hour, it.minute, it.second], it.microsecond, it.offset_seconds),
            MontyNode::TimeDelta(it) => span(it.days, it.seconds, it.microseconds),
            _ => reference.py_repr(),
        }
    }

    fn list(&mut self, ids: &[NodeId], depth: usize) {
        self.put("[");
        for (at, id) in ids.iter().enumerate() {
            self.put(if at > 0 { "," } else { "" });
            if self.room == 0 {
                self.marker(&format!("<{} more>", grouped(ids.len() - at)));
                break;
            }
            self.value(*id, depth + 1);
        }
        self.put("]");
    }

    fn object(&mut self, named: &[(String, NodeId)], depth: usize) {
        let mut used = std::collections::HashMap::new();
        self.put("{");
        for (at, (name, id)) in named.iter().enumerate() {
            self.put(if at > 0 { "," } else { "" });
            if self.room == 0 {
                let left = grouped(named.len() - at);
                self.put(&format!(r#""<cut>":"<{left} more>""#));
                break;
            }
            let mut unique = self.fit(name);
            // 1 and "1", or two values that print the same.
            while used.contains_key(&unique) {
                let count: &mut usize = used.entry(name.clone()).or_insert(1);
                *count += 1;
                unique = format!("{name} ({count})");
            }
            let quoted = quote(&unique);
            used.insert(unique, 1);
            self.put(&format!("{quoted}:"));
            self.value(*id, depth + 1);
        }
        self.put("}");
    }

    fn typed_items(&mut self, tag: &str, ids: &[NodeId], depth: usize) {
        self.put(&format!(r#"{{"{tag}":"#));
        self.list(ids, depth);
        self.put("}");
    }

    fn typed_pairs(&mut self, pairs: &[(NodeId, NodeId)], depth: usize) {
        self.put("[");
        for (at, (key, value)) in pairs.iter().enumerate() {
            self.put(if at > 0 { "," } else { "" });
            if self.room == 0 {
                let left = grouped(pairs.len() - at);
                self.put(&format!(r#"[{{"Repr":"<cut>"}},{{"Repr":"<{left} more>"}}]"#));
                break;
            }
            self.put("[");
            self.value(*key, depth + 1);
            self.put(",");
            self.value(*value, depth + 1);
            self.put("]");
        }
        self.put("]");
    }

    fn typed_bytes(&mut self, bytes: &[u8]) {
        self.put(r#"{"Bytes":["#);
        // Up to four characters each; what is over the room is left out.
        let shown = &bytes[..bytes.len().min((self.room / 4).max(SHORT))];
        let numbers: Vec<String> = shown.iter().map(u8::to_string).collect();
        self.put(&numbers.join(","));
        self.put("]}");
    }

    /// The elements of a set have no order: by their text they have one.
    fn sorted(&self, ids: &[NodeId]) -> Vec<NodeId> {
        let mut keyed: Vec<_> = ids
            .iter()
            .map(|id| {
                let reference = self.graph.value(*id);
                let number = reference.as_int().map(|it| it as f64).or(reference.as_float());
                (number, reference.py_repr(), *id)
            })
            .collect();
        keyed.sort_by(|a, b| match (a.0, b.0) {
            (Some(one), Some(other)) => one.total_cmp(&other),
            _ => a.1.cmp(&b.1),
        });
        keyed.into_iter().map(|(_, _, id)| id).collect()
    }

    /// The key of an object.
    fn name(&self, id: NodeId) -> String {
        let reference = self.graph.value(id);
        match unstable::node(reference) {
            MontyNode::None => "null".to_owned(),
            MontyNode::Bool(value) => value.to_string(),
            node => self.shown(node, reference),
        }
    }

    fn names_of(&self, attrs: &[(NodeId, NodeId)]) -> Vec<String> {
        attrs.iter().map(|(key, _)| self.name(*key)).collect()
    }

    fn class_of(&self, id: NodeId) -> (String, bool) {
        match unstable::node(self.graph.value(id)) {
            MontyNode::ClassType(class) => (class.name.clone(), class.is_dataclass),
            _ => ("object".to_owned(), false),
        }
    }

    fn large(&mut self, digits: &str) {
        if self.form == Form::Host {
            self.tagged("BigInt", digits);
        } else {
            self.string(digits);
        }
    }

    fn marker(&mut self, text: &str) {
        if self.form == Form::Typed {
            self.tagged("Repr", text);
        } else {
            self.put(&quote(text));
        }
    }

    fn string(&mut self, text: &str) {
        let fitting = self.fit(text);
        self.put(&quote(&fitting));
    }

    fn tagged(&mut self, tag: &str, text: &str) {
        let text = quote(text);
        self.put(&format!(r#"{{"{tag}":{text}}}"#));
    }

    /// A text as far as there is room for it.
    fn fit(&self, text: &str) -> String {
        let room = self.room.max(SHORT);
        if text.len() <= room {
            return text.to_owned();
        }
        let count = text.chars().count();
        if count <= room {
            return text.to_owned();
        }
        let kept: String = text.chars().take(room).collect();
        format!("{kept}<{} more characters>", grouped(count - room))
    }

    fn put(&mut self, text: &str) {
        self.text.push_str(text);
        self.room = self.room.saturating_sub(text.len());
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|error| quote(&error.to_string()))
}

fn quote(text: &str) -> String {
    json(&text)
}

/// Digits of an integer; as Python's own limit, it bounds what takes a square of time.
fn digits(value: &BigInt) -> String {
    const MOST_BITS: u64 = 332_193; // 100,000 digits
    if value.bits() <= MOST_BITS {
        return value.to_string();
    }
    format!("<an integer of {} bits>", grouped(value.bits() as usize))
}

fn part(value: f64) -> String {
    if value.is_finite() { number(value) } else { quote(float_name(value)) }
}

fn float_name(value: f64) -> &'static str {
    if value.is_nan() {
        "NaN"
    } else if value > 0.0 {
        "Infinity"
    } else {
        "-Infinity"
    }
}

/// A finite float as Python's `repr()` and JSON have it: a float that is whole has a point.
fn number(value: f64) -> String {
    monty_types::FormatFloat(value).to_string()
}

fn clock([hour, minute, second]: [u8; 3], microsecond: u32, offset: Option<i32>) -> String {
    let mut text = format!("{hour:02}:{minute:02}:{second:02}");
    if microsecond > 0 {
        let _ = write!(text, ".{microsecond:06}");
    }
    if let Some(offset) = offset {
        let (sign, size) = (if offset < 0 { '-' } else { '+' }, offset.abs());
        let _ = write!(text, "{sign}{:02}:{:02}", size / 3600, size / 60 % 60);
        if size % 60 > 0 {
            let _ = write!(text, ":{:02}", size % 60);
        }
    }
    text
}

/// As `str()` of a `timedelta`.
fn span(days: i32, seconds: i32, microseconds: i32) -> String {
    let mut text = match days {
        0 => String::new(),
        1 | -1 => format!("{days} day, "),
        _ => format!("{days} days, "),
    };
    let _ = write!(text, "{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    if microseconds > 0 {
        let _ = write!(text, ".{microseconds:06}");
    }
    text
}

/// A count with commas.
fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
