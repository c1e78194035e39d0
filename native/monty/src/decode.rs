//! Values of Python from JSON: a MontyObject where a tag says so, else plain JSON.

use data_encoding::BASE64;
use monty_types::{
    MontyFileHandle, MontyType, MontyUuid, NamedValues,
    unstable::{self, ClassTypeNode, MontyGraph, MontyNode, NodeId},
};
use num_bigint::BigInt;
use serde_json::{Map, Value};

use crate::encode::Form;

/// Levels of containers that a value may have: each costs some of the stack.
const MOST_DEPTH: usize = 256;

/// Reads the variables of a run.
pub fn decode_inputs(inputs: &Map<String, Value>, form: Form) -> Result<NamedValues, String> {
    let mut graph = MontyGraph::new();
    let mut names = Vec::with_capacity(inputs.len());
    for (name, value) in inputs {
        let id = Reader { graph: &mut graph, form }
            .value(value, 0)
            .map_err(|reason| format!("the input {name}: {reason}"))?;
        names.push((name.clone(), id));
    }
    unstable::named_values_from_parts(graph, names).map_err(|error| error.to_string())
}

/// Reads a value.
pub fn decode(value: &Value, form: Form) -> Result<monty_types::MontyObject, String> {
    let mut graph = MontyGraph::new();
    let root = Reader { graph: &mut graph, form }.value(value, 0)?;
    unstable::object_from_graph(graph, root).map_err(|error| error.to_string())
}

struct Reader<'a> {
    graph: &'a mut MontyGraph,
    form: Form,
}

type Read = Result<NodeId, String>;

impl Reader<'_> {
    fn value(&mut self, value: &Value, depth: usize) -> Read {
        if depth > MOST_DEPTH {
            return Err(format!("it is nested more than {MOST_DEPTH} deep"));
        }
        let typed = matches!(self.form, Form::Typed | Form::Host);
        let node = match value {
            Value::Null => MontyNode::None,
            Value::Bool(value) => MontyNode::Bool(*value),
            Value::Number(number) => return self.number(&number.to_string()),
            Value::String(text) if typed && text == "None" => MontyNode::None,
            Value::String(text) if typed && text == "Ellipsis" => MontyNode::Ellipsis,
            Value::String(text) => MontyNode::String(text.clone()),
            Value::Array(items) => MontyNode::List(self.items(items, depth)?),
            Value::Object(fields) => match fields.iter().next() {
                Some((tag, content)) if typed && fields.len() == 1 => {
                    if let Some(id) = self.tagged(tag, content, depth)? {
                        return Ok(id);
                    }
                    self.object(fields, depth)?
                }
                _ => self.object(fields, depth)?,
            },
        };
        Ok(self.graph.push(node))
    }

    /// A number of JSON: a whole number is an integer.
    fn number(&mut self, text: &str) -> Read {
        let is_float = text.contains(['.', 'e', 'E']);
        if !is_float && let Ok(value) = text.parse::<BigInt>() {
            return Ok(self.integer(value));
        }
        let value: f64 = text.parse().map_err(|_| format!("{text} is not a number"))?;
        Ok(self.graph.push(MontyNode::Float(value)))
    }

    fn integer(&mut self, value: BigInt) -> NodeId {
        let node = i64::try_from(&value).map_or(MontyNode::BigInt(value), MontyNode::Int);
        self.graph.push(node)
    }

    fn items(&mut self, items: &[Value], depth: usize) -> Result<Vec<NodeId>, String> {
        items.iter().map(|item| self.value(item, depth + 1)).collect()
    }

    fn object(&mut self, fields: &Map<String, Value>, depth: usize) -> Result<MontyNode, String> {
        let mut pairs = Vec::with_capacity(fields.len());
        for (key, value) in fields {
            let key = self.graph.push(MontyNode::String(key.clone()));
            pairs.push((key, self.value(value, depth + 1)?));
        }
        Ok(MontyNode::Dict(pairs))
    }

    /// A MontyObject; undefined if the tag is not one of its own.
    fn tagged(&mut self, tag: &str, content: &Value, depth: usize) -> Result<Option<NodeId>, String> {
        let node = match tag {
            "Int" | "BigInt" => return self.tagged_integer(tag, content).map(Some),
            "Float" => MontyNode::Float(float(content)?),
            "Bytes" => MontyNode::Bytes(bytes(content)?),
            "List" => MontyNode::List(self.items(array(tag, content)?, depth)?),
            "Tuple" => MontyNode::Tuple(self.items(array(tag, content)?, depth)?),
            "Set" => MontyNode::Set(self.items(array(tag, content)?, depth)?),
            "FrozenSet" => MontyNode::FrozenSet(self.items(array(tag, content)?, depth)?),
            "Dict" => MontyNode::Dict(self.pairs(tag, content, depth)?),
            "NamedTuple" => MontyNode::NamedTuple {
                type_name: text_of(content, "type_name")?,
                field_names: names_of(content)?,
                values: self.items(array("values", &content["values"])?, depth)?,
            },
            "Dataclass" => self.dataclass(content, depth)?,
            "Complex" => {
                let part = |name: &str| float(&content[name]);
                return self.leaf(MontyNode::Complex(monty_types::MontyComplex {
                    real: part("real")?,
                    imag: part("imag")?,
                }));
            }
            "FileHandle" => MontyNode::FileHandle(MontyFileHandle {
                path: text_of(content, "path")?,
                mode: text_of(content, "mode")?
                    .parse()
                    .map_err(|error| format!("mode: {error:?}"))?,
                position: 0,
            }),
            "Type" => MontyNode::Type(type_named(content)?),
            // The crate's own forms.
            "Bool" | "String" | "Date" | "DateTime" | "Time" | "TimeDelta" | "TimeZone" | "Decimal" | "Path"
            | "Exception" | "Function" | "BuiltinFunction" => {
                let tagged = serde_json::json!({ tag: content });
                serde_json::from_value(tagged).map_err(|error| format!("{tag}: {error}"))?
            }
            _ => return Ok(None),
        };
        self.leaf(node)
    }

    fn leaf(&mut self, node: MontyNode) -> Result<Option<NodeId>, String> {
        Ok(Some(self.graph.push(node)))
    }

    fn tagged_integer(&mut self, tag: &str, content: &Value) -> Read {
        let digits = match content {
            Value::Number(number) => number.to_string(),
            Value::String(digits) => digits.clone(),
            _ => return Err(format!("{tag} must be a whole number, or its digits as a string")),
        };
        let value: BigInt = digits
            .parse()
            .map_err(|_| format!("{tag} is {}, which is not a whole number", shortened(&digits)))?;
        Ok(self.integer(value))
    }

    fn pairs(&mut self, tag: &str, content: &Value, depth: usize) -> Result<Vec<(NodeId, NodeId)>, String> {
        array(tag, content)?
            .iter()
            .map(|pair| match pair.as_array().map(Vec::as_slice) {
                Some([key, value]) => Ok((self.value(key, depth + 1)?, self.value(value, depth + 1)?)),
                _ => Err(format!("{tag} must be a list of pairs")),
            })
            .collect()
    }

    /// An instance of a class that only its host knows.
    fn dataclass(&mut self, content: &Value, depth: usize) -> Result<MontyNode, String> {
        let name = text_of(content, "name")?;
        let class_type = self.graph.push(MontyNode::ClassType(Box::new(ClassTypeNode {
            id: random_id()?,
            host_defined: true,
            is_dataclass: true,
            attrs: Vec::new(),
            name,
        })));
        let attrs = self.pairs("attrs", &content["attrs"], depth)?;
        Ok(MontyNode::ClassInstance {
            class_type,
            instance_id: random_id()?,
            attrs,
        })
    }
}

/// A type by the name of the crate, by that of Python, or by that of an exception.
fn type_named(content: &Value) -> Result<MontyType, String> {
    let name = content.as_str().ok_or("Type must be a string")?;
    serde_json::from_value(content.clone())
        .ok()
        .or_else(|| MontyType::from_type_name(name))
        .ok_or_else(|| format!("Type is {}, which is not a type of Monty", shortened(name)))
}

fn random_id() -> Result<MontyUuid, String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| error.to_string())?;
    Ok(MontyUuid::from_random_bytes(bytes))
}

fn float(content: &Value) -> Result<f64, String> {
    match content {
        Value::Number(number) => number
            .to_string()
            .parse()
            .map_err(|_| format!("Float is {number}, which is not a number")),
        Value::String(name) => match name.as_str() {
            "NaN" => Ok(f64::NAN),
            "Infinity" => Ok(f64::INFINITY),
            "-Infinity" => Ok(f64::NEG_INFINITY),
            other => Err(format!("Float is {}, which is not a number", shortened(other))),
        },
        _ => Err("Float must be a number, or NaN, Infinity or -Infinity".to_owned()),
    }
}

fn bytes(content: &Value) -> Result<Vec<u8>, String> {
    if let Value::String(base64) = content {
        return BASE64
            .decode(base64.as_bytes())
            .map_err(|error| format!("Bytes: {error}"));
    }
    array("Bytes", content)?
        .iter()
        .map(|byte| {
            byte.as_u64()
                .and_then(|byte| u8::try_from(byte).ok())
                .ok_or_else(|| format!("Bytes has {byte}, which is not a number from 0 to 255"))
        })
        .collect()
}

fn array<'a>(name: &str, content: &'a Value) -> Result<&'a [Value], String> {
    content
        .as_array()
        .map(Vec::as_slice)
        .ok_or_else(|| format!("{name} must be a list"))
}

fn text_of(content: &Value, name: &str) -> Result<String, String> {
    content[name]
        .as_str()
        .map(str::to_owned)
        .ok_or_else(|| format!("{name} must be a string"))
}

fn names_of(content: &Value) -> Result<Vec<String>, String> {
    array("field_names", &content["field_names"])?
        .iter()
        .map(|name| name.as_str().map(str::to_owned))
        .collect::<Option<_>>()
        .ok_or_else(|| "field_names must be strings".to_owned())
}

fn shortened(text: &str) -> String {
    text.chars().take(50).collect()
}
