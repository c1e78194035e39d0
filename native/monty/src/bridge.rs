//! An interpreter and its run: requests and replies of JSON.

use std::{collections::BTreeMap, mem, time::Duration};

use monty::{
    Dump, MontyRepl, ReplFunctionCall, ReplOsCall, ReplProgress, ReplResolveFutures, ReplStartError, Session,
    ReplContinuationMode, SessionRef, detect_repl_continuation_mode, dump,
};
use monty_types::{
    CallArgs, CompileOptions, ExcType, ExtFunctionResult, MontyException, MontyObject, NameLookupResult,
    OsFunctionCall, OsPolicy, PrintWriter, PrintWriterCallback, ResourceLimits, ResourceTracker, SleepMode, unstable,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::{
    alloc,
    decode::{decode, decode_inputs},
    encode::{Form, encode, encode_node},
};

const SCRIPT: &str = "main.py";
/// Bytes that a call of `os.urandom` may ask for.
const MOST_RANDOM: u64 = 1 << 20;
/// What the host answers, the host bounds; so this is not the bound.
const MOST_SUSPENSIONS: usize = u32::MAX as usize;
/// Calls in each other that fit the stack, however it is filled.
const MOST_RECURSION: usize = 1000;

/// A request of the host.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Request {
    /// Runs code; only between runs.
    Run(RunTerms),
    /// Answers the call that the run waits for.
    Answer { answer: Answer },
    /// Answers calls that were left pending.
    Answers { answers: Vec<(u32, Answer)> },
    /// Whether a prompt should run text that was typed.
    IsComplete { text: String },
    /// Ends the run that waits by an exception that its code cannot catch.
    Abort { error: Raised },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunTerms {
    code: String,
    inputs: Map<String, Value>,
    form: Form,
    /// Characters of the value.
    room: Option<usize>,
    /// Names of the host's functions.
    functions: Vec<String>,
    environment: BTreeMap<String, String>,
    limits: Limits,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Limits {
    max_duration_ms: f64,
    /// Of the values that the interpreter holds.
    max_memory_bytes: usize,
    max_allocations: Option<u64>,
    gc_interval: Option<usize>,
    max_recursion_depth: Option<usize>,
}

/// An answer to a call.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Answer {
    Value(Value),
    Error(Raised),
    /// The answer comes later.
    Pending,
}

/// An exception of Python.
#[derive(Deserialize)]
pub struct Raised {
    #[serde(rename = "type")]
    kind: String,
    message: String,
}

impl From<Raised> for MontyException {
    fn from(Raised { kind, message }: Raised) -> Self {
        let message = (!message.is_empty()).then_some(message);
        Self::new(kind.parse().unwrap_or(ExcType::RuntimeError), message)
    }
}

/// A reply to the host.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Reply {
    /// The run has ended; the value is text of JSON.
    Done { value: String },
    Failed { error: Failure },
    /// The run waits for the answer to a call.
    Call {
        id: u32,
        name: String,
        args: Vec<Value>,
        kwargs: Map<String, Value>,
        /// Whether the answer may come later.
        may_wait: bool,
    },
    /// The run waits for one of these calls.
    Waits { ids: Vec<u32> },
    Complete { is_complete: bool },
    /// The request itself is wrong; nothing has run.
    Wrong { reason: String },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    #[serde(rename = "type")]
    kind: String,
    message: String,
    traceback: String,
    /// The limit that was reached.
    limit: Option<&'static str>,
}

/// Takes what Python prints.
pub trait Print {
    fn print(&mut self, is_error: bool, text: &str);
}

/// An interpreter, and the run that is under way.
pub struct Bridge {
    state: State,
    form: Form,
    room: Option<usize>,
    functions: Vec<String>,
    environment: BTreeMap<String, String>,
    max_duration: Duration,
}

enum State {
    Idle(Box<MontyRepl>),
    Waiting(Box<ReplProgress>),
    /// Within a step.
    Busy,
}

type Step = Result<ReplProgress, Box<ReplStartError>>;

impl Default for Bridge {
    fn default() -> Self {
        let bridge = Self::with(State::Idle(Box::new(new_repl())));
        alloc::set_baseline();
        bridge
    }
}

fn new_repl() -> MontyRepl {
    let mut repl = MontyRepl::new(SCRIPT, ResourceTracker::default(), CompileOptions::default()).with_os_policy(
        OsPolicy {
            sleep: SleepMode::CallHost,
            ..OsPolicy::default()
        },
    );
    repl.set_cwd("/workspace");
    repl
}

impl Bridge {
    fn with(state: State) -> Self {
        Self {
            state,
            form: Form::Plain,
            room: None,
            functions: Vec::new(),
            environment: BTreeMap::new(),
            max_duration: Duration::MAX,
        }
    }

    /// Takes a request, and goes on until the run ends or waits.
    pub fn take(&mut self, request: Request, print: &mut dyn Print) -> Reply {
        if let Request::IsComplete { text } = &request {
            let is_complete = is_complete(text);
            return Reply::Complete { is_complete };
        }
        let mut printer = Printer(print);
        let step = match (request, mem::replace(&mut self.state, State::Busy)) {
            (Request::Run(terms), State::Idle(repl)) => match self.begin(terms, *repl, &mut printer) {
                Ok(step) => step,
                Err(reason) => return Reply::Wrong { reason },
            },
            (Request::Answer { answer }, State::Waiting(progress)) => resume(*progress, answer, &mut printer),
            (Request::Answers { answers }, State::Waiting(progress)) => resume_all(*progress, answers, &mut printer),
            (Request::Abort { error }, State::Waiting(progress)) => abort(*progress, error.into(), &mut printer),
            (_, state) => {
                self.state = state;
                let reason = "the request does not fit the state of the interpreter".to_owned();
                return Reply::Wrong { reason };
            }
        };
        self.follow(step, &mut printer)
    }

    fn begin(&mut self, terms: RunTerms, mut repl: MontyRepl, printer: &mut Printer<'_>) -> Result<Step, String> {
        let inputs = match decode_inputs(&terms.inputs, terms.form) {
            Ok(inputs) => inputs,
            Err(reason) => {
                self.state = State::Idle(Box::new(repl));
                return Err(reason);
            }
        };
        let limits = terms.limits;
        self.form = terms.form;
        self.room = terms.room;
        self.functions = terms.functions;
        self.environment = terms.environment;
        self.max_duration = Duration::try_from_secs_f64(limits.max_duration_ms / 1000.0).unwrap_or(Duration::MAX);
        let depth = limits.max_recursion_depth.unwrap_or(MOST_RECURSION).min(MOST_RECURSION);
        *repl.tracker_mut() = ResourceTracker::new(ResourceLimits {
            max_feed_duration: Some(self.max_duration),
            max_memory: Some(limits.max_memory_bytes),
            gc_interval: limits.gc_interval,
            max_recursion_depth: depth,
            max_suspensions: MOST_SUSPENSIONS,
            ..ResourceLimits::default()
        });
        alloc::limit_allocations(limits.max_allocations);
        Ok(repl.feed_start(&terms.code, inputs, printer.writer()))
    }

    /// Answers by itself what needs no host.
    fn follow(&mut self, mut step: Step, printer: &mut Printer<'_>) -> Reply {
        loop {
            let progress = match step {
                Ok(progress) => progress,
                Err(failed) => return self.fail(*failed),
            };
            step = match progress {
                ReplProgress::Complete { repl, value } => {
                    self.state = State::Idle(Box::new(repl));
                    alloc::lift_limit();
                    let value = encode(&value, self.form, self.room);
                    return Reply::Done { value };
                }
                ReplProgress::NameLookup(lookup) => {
                    let is_ours = lookup.object_id().is_none() && self.functions.contains(&lookup.name);
                    let found = if is_ours {
                        NameLookupResult::Value(MontyObject::function(lookup.name.clone(), None))
                    } else {
                        NameLookupResult::Undefined
                    };
                    lookup.resume(found, printer.writer())
                }
                ReplProgress::FunctionCall(call) if call.object_id.is_some() => {
                    let reason = format!("'{}' is a method of the host, which has none", call.function_name);
                    call.resume(exception(ExcType::AttributeError, reason), printer.writer())
                }
                ReplProgress::FunctionCall(call) => return self.call(call),
                ReplProgress::OsCall(call) => match self.maybe_answer(&call.function_call) {
                    Some(answer) => call.resume(answer, printer.writer()),
                    None => return self.os_call(call),
                },
                ReplProgress::ResolveFutures(waiting) => return self.wait(waiting),
            };
        }
    }

    /// Answers a call of the system that needs no host.
    fn maybe_answer(&self, call: &OsFunctionCall) -> Option<ExtFunctionResult> {
        let answer = match call {
            OsFunctionCall::Getenv(args) => match self.environment.get(&args.key) {
                Some(value) => MontyObject::string(value.clone()),
                None => args.default.clone(),
            },
            OsFunctionCall::GetEnviron => MontyObject::dict(
                self.environment
                    .iter()
                    .map(|(name, value)| (MontyObject::string(name.clone()), MontyObject::string(value.clone()))),
            ),
            OsFunctionCall::Urandom(args) => return Some(random(args.size)),
            OsFunctionCall::Import(_) | OsFunctionCall::ImportStubs(_) => return Some(call.on_no_handler().into()),
            _ => return None,
        };
        Some(answer.into())
    }

    fn call(&mut self, call: ReplFunctionCall) -> Reply {
        let (args, kwargs) = arguments(&call.args);
        let reply = Reply::Call {
            id: call.call_id,
            name: call.function_name.clone(),
            may_wait: false,
            args,
            kwargs,
        };
        self.state = State::Waiting(Box::new(ReplProgress::FunctionCall(call)));
        reply
    }

    fn os_call(&mut self, call: ReplOsCall) -> Reply {
        let name = call.function_call.name();
        let (args, kwargs) = arguments(&call.function_call.clone().to_args());
        let reply = Reply::Call {
            id: call.call_id,
            name: name.to_owned(),
            may_wait: OsFunctionCall::accepts_future(name),
            args,
            kwargs,
        };
        self.state = State::Waiting(Box::new(ReplProgress::OsCall(call)));
        reply
    }

    fn wait(&mut self, waiting: ReplResolveFutures) -> Reply {
        let mut ids = waiting.pending_call_ids().to_vec();
        ids.sort_unstable();
        self.state = State::Waiting(Box::new(ReplProgress::ResolveFutures(waiting)));
        Reply::Waits { ids }
    }

    fn fail(&mut self, ReplStartError { repl, error }: ReplStartError) -> Reply {
        let was_out_of_allocations = alloc::lift_limit();
        let is_late = repl.tracker().feed_elapsed() > self.max_duration;
        let limit = match error.exc_type() {
            ExcType::MemoryError if was_out_of_allocations => Some("allocations"),
            ExcType::MemoryError if says(&error, "memory limit exceeded") => Some("memory"),
            ExcType::TimeoutError if is_late && says(&error, "feed time limit exceeded") => Some("time"),
            _ => None,
        };
        self.state = State::Idle(Box::new(repl));
        Reply::Failed {
            error: Failure {
                kind: error.exc_type().to_string(),
                message: error.message().unwrap_or_default().to_owned(),
                traceback: error.to_string(),
                limit,
            },
        }
    }

    /// The state of the interpreter, with the run that waits.
    pub fn dump(&self) -> Result<Vec<u8>, String> {
        let state = match &self.state {
            State::Idle(repl) => SessionRef::Idle(repl),
            State::Waiting(progress) => SessionRef::Suspended(progress),
            State::Busy => return Err("the interpreter runs".to_owned()),
        };
        let state = dump(SCRIPT, None, &[], state).map_err(|error| error.to_string())?;
        let run = json!({
            "form": self.form,
            "room": self.room,
            "functions": self.functions,
            "environment": self.environment,
            "maxDuration": self.max_duration.as_secs_f64(),
            "allocationsLeft": alloc::allocations_left(),
        })
        .to_string();
        let mut bytes = u32::try_from(run.len()).map_err(|error| error.to_string())?.to_le_bytes().to_vec();
        bytes.extend_from_slice(run.as_bytes());
        bytes.extend(state);
        Ok(bytes)
    }

    /// Goes on from a dump of this very program: other bytes may end the instance.
    pub fn load(bytes: &[u8]) -> Result<Self, String> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Run {
            form: Form,
            room: Option<usize>,
            functions: Vec<String>,
            environment: BTreeMap<String, String>,
            max_duration: f64,
            allocations_left: Option<u64>,
        }
        alloc::set_baseline();
        let (length, rest) = bytes.split_first_chunk::<4>().ok_or("the dump is too short")?;
        let length = u32::from_le_bytes(*length) as usize;
        let run = rest.get(..length).ok_or("the dump is too short")?;
        let run: Run = serde_json::from_slice(run).map_err(|error| error.to_string())?;
        let state = match Dump::load(&rest[length..]).map_err(|error| error.to_string())?.state {
            Session::Idle(repl) => State::Idle(repl),
            Session::Suspended(progress) => State::Waiting(progress),
            Session::Running(_) => return Err("the dump is not of this program".to_owned()),
        };
        if let State::Waiting(_) = state {
            alloc::limit_allocations(run.allocations_left);
        }
        Ok(Self {
            form: run.form,
            room: run.room,
            functions: run.functions,
            environment: run.environment,
            max_duration: Duration::try_from_secs_f64(run.max_duration).unwrap_or(Duration::MAX),
            ..Self::with(state)
        })
    }
}

/// Whether a statement is whole; a block is once an empty line follows it.
fn is_complete(text: &str) -> bool {
    let is_in_block = text.lines().last().is_some_and(|line| line.starts_with([' ', '\t']))
        && !text.trim_end_matches([' ', '\t']).ends_with('\n');
    !is_in_block && detect_repl_continuation_mode(text) == ReplContinuationMode::Complete
}

fn resume(progress: ReplProgress, answer: Answer, printer: &mut Printer<'_>) -> Step {
    match progress {
        ReplProgress::FunctionCall(call) => {
            let answer = to_result(answer, call.call_id);
            call.resume(answer, printer.writer())
        }
        ReplProgress::OsCall(call) => {
            let answer = to_result(answer, call.call_id);
            call.resume(answer, printer.writer())
        }
        ReplProgress::ResolveFutures(waiting) => waiting.resume(Vec::new(), printer.writer()),
        other => Ok(other),
    }
}

fn resume_all(progress: ReplProgress, answers: Vec<(u32, Answer)>, printer: &mut Printer<'_>) -> Step {
    match progress {
        ReplProgress::ResolveFutures(waiting) => {
            let answers = answers.into_iter().map(|(id, answer)| (id, to_result(answer, id))).collect();
            waiting.resume(answers, printer.writer())
        }
        other => Ok(other),
    }
}

fn abort(progress: ReplProgress, error: MontyException, printer: &mut Printer<'_>) -> Step {
    match progress {
        ReplProgress::FunctionCall(call) => call.abort(error, printer.writer()),
        ReplProgress::OsCall(call) => call.abort(error, printer.writer()),
        ReplProgress::ResolveFutures(waiting) => waiting.abort(error, printer.writer()),
        other => Ok(other),
    }
}

fn to_result(answer: Answer, id: u32) -> ExtFunctionResult {
    match answer {
        Answer::Value(value) => match decode(&value, Form::Host) {
            Ok(value) => value.into(),
            Err(reason) => exception(ExcType::RuntimeError, format!("the host's answer: {reason}")),
        },
        Answer::Error(raised) => MontyException::from(raised).into(),
        Answer::Pending => ExtFunctionResult::Future(id),
    }
}

fn exception(kind: ExcType, message: String) -> ExtFunctionResult {
    MontyException::new(kind, Some(message)).into()
}

fn random(size: u64) -> ExtFunctionResult {
    if size > MOST_RANDOM {
        return exception(ExcType::OverflowError, format!("at most {MOST_RANDOM} random bytes at a time"));
    }
    let mut bytes = vec![0; size as usize];
    match getrandom::fill(&mut bytes) {
        Ok(()) => MontyObject::bytes(bytes).into(),
        Err(error) => exception(ExcType::OSError, error.to_string()),
    }
}

fn arguments(args: &CallArgs) -> (Vec<Value>, Map<String, Value>) {
    let (graph, args, kwargs) = unstable::call_args_parts(args);
    let read = |id| serde_json::from_str(&encode_node(graph, id, Form::Host, None)).unwrap_or(Value::Null);
    let named = kwargs.iter().map(|(name, value)| {
        let name = graph.value(*name).as_str().unwrap_or_default().to_owned();
        (name, read(*value))
    });
    (args.iter().map(|id| read(*id)).collect(), named.collect())
}

fn says(error: &MontyException, words: &str) -> bool {
    error.message().is_some_and(|message| message.starts_with(words))
}

struct Printer<'a>(&'a mut dyn Print);

impl Printer<'_> {
    fn writer(&mut self) -> PrintWriter<'_> {
        PrintWriter::Callback(self)
    }
}

impl PrintWriterCallback for Printer<'_> {
    fn stdout_write(&mut self, output: std::borrow::Cow<'_, str>) -> Result<(), MontyException> {
        self.0.print(false, &output);
        Ok(())
    }

    fn stdout_push(&mut self, end: char) -> Result<(), MontyException> {
        self.0.print(false, end.encode_utf8(&mut [0; 4]));
        Ok(())
    }

    fn stderr_write(&mut self, output: std::borrow::Cow<'_, str>) -> Result<(), MontyException> {
        self.0.print(true, &output);
        Ok(())
    }

    fn stderr_push(&mut self, end: char) -> Result<(), MontyException> {
        self.0.print(true, end.encode_utf8(&mut [0; 4]));
        Ok(())
    }
}

#[cfg(test)]
mod tests;
