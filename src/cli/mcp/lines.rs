//! Reads the lines that a client writes, as far as there is room for them.
//!
//! A request is parsed into values that take many times its bytes, and the library that reads it
//! silently skips a line that is too long or not a request. So each line is checked first, and one
//! that is too large or invalid gets an answer and is dropped: otherwise the client would wait for
//! ever. The library would also accept any number of requests before it has answered one; here
//! nothing is read while enough of them wait.

use std::collections::VecDeque;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use memchr::memchr;
use rmcp::model::{ClientNotification, ErrorData, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use serde::de::IgnoredAny;
use serde_json::Value as Json;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::Notify;

/// The most bytes of a line, which is a request.
const MAX_LINE: usize = 4 * 1024 * 1024;

/// The most values of a request.
const MAX_VALUES: usize = 50_000;

/// How much is read at a time.
const READ: usize = 16 * 1024;

/// The answers to lines that were skipped.
#[derive(Default)]
struct PassedOver {
    answers: Mutex<VecDeque<TxJsonRpcMessage<RoleServer>>>,
    more: Notify,
}

impl PassedOver {
    fn tell(&self, answer: TxJsonRpcMessage<RoleServer>) {
        self.answers().push_back(answer);
        self.more.notify_one();
    }

    /// Takes the first of them, if there is one.
    fn take(&self) -> Option<TxJsonRpcMessage<RoleServer>> {
        self.answers().pop_front()
    }

    fn are_there(&self) -> bool {
        !self.answers().is_empty()
    }

    fn answers(&self) -> MutexGuard<'_, VecDeque<TxJsonRpcMessage<RoleServer>>> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// About how many bytes of memory the requests that wait for an answer may take; how many each of
/// them takes by itself, and how many each value in it.
const MAX_WAITING: usize = 16 * 1024 * 1024;
const OF_REQUEST: usize = 8 * 1024;
const OF_VALUE: usize = 64;

/// The requests that have no answer yet.
#[derive(Default)]
struct Unanswered {
    requests: Mutex<Vec<Waiting>>,
    less: Notify,
}

/// A request that has no answer yet.
struct Waiting {
    id: RequestId,
    /// About how many bytes of memory it takes.
    memory: usize,
}

impl Unanswered {
    fn requests(&self) -> MutexGuard<'_, Vec<Waiting>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in what a client says: a request, or that it no longer wants an answer to one. Of two
    /// with one id, only one is answered.
    fn add(&self, message: &RxJsonRpcMessage<RoleServer>) {
        match message {
            RxJsonRpcMessage::<RoleServer>::Request(request) => {
                let memory = memory_of(request);
                let mut requests = self.requests();
                match requests.iter_mut().find(|it| it.id == request.id) {
                    Some(same) => same.memory += memory,
                    None => requests.push(Waiting {
                        id: request.id.clone(),
                        memory,
                    }),
                }
            }
            RxJsonRpcMessage::<RoleServer>::Notification(said) => {
                if let ClientNotification::CancelledNotification(said) = &said.notification {
                    self.take(said.params.request_id.as_ref());
                }
            }
            _ => {}
        }
    }

    fn take(&self, answered: Option<&RequestId>) {
        let mut requests = self.requests();
        if let Some(at) = requests.iter().position(|it| Some(&it.id) == answered) {
            requests.remove(at);
            self.less.notify_one();
        }
    }

    /// Waits until there is room for another one.
    async fn room(&self) {
        let is_full = || {
            let requests = self.requests();
            requests.iter().map(|it| it.memory).sum::<usize>() >= MAX_WAITING
        };
        while is_full() {
            self.less.notified().await;
        }
    }

    /// Waits until all are answered, or nothing has been for a while.
    async fn wait(&self) {
        while !self.requests().is_empty() {
            if tokio::time::timeout(PATIENCE, self.less.notified())
                .await
                .is_err()
            {
                return;
            }
        }
    }
}

/// Returns how much memory a request takes while it waits, by its size when written.
fn memory_of(request: &impl serde::Serialize) -> usize {
    struct Counted(usize);
    impl io::Write for Counted {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let values = bytes.iter().filter(|byte| b",[{".contains(byte)).count();
            self.0 += bytes.len() + values * OF_VALUE;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut counted = Counted(OF_REQUEST);
    // What was read can be written.
    let _ = serde_json::to_writer(&mut counted, request);
    counted.0
}

/// How long to wait for the next answer once the input has ended.
const PATIENCE: Duration = Duration::from_secs(60);

/// Passes on complete lines, except those that are too large.
struct Lines<R> {
    read: R,
    passed_over: Arc<PassedOver>,
    line: Line,
    /// What is passed on next: complete lines, from `given` on.
    ready: Vec<u8>,
    given: usize,
}

/// A line that has not ended.
#[derive(Default)]
struct Line {
    bytes: Vec<u8>,
    values: usize,
    in_text: bool,
    is_escaped: bool,
    is_too_much: bool,
}

impl Line {
    fn push(&mut self, byte: u8) {
        if self.is_too_much {
            return;
        }
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' => self.is_escaped = self.in_text,
            b'"' => self.in_text = !self.in_text,
            b',' | b'[' | b'{' if !self.in_text => self.values += 1,
            _ => {}
        }
        self.bytes.push(byte);
        if self.bytes.len() > MAX_LINE || self.values > MAX_VALUES {
            *self = Line {
                is_too_much: true,
                ..Line::default()
            };
        }
    }
}

impl<R> Lines<R> {
    fn take(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            if self.line.is_too_much {
                rest = &rest[memchr(b'\n', rest).unwrap_or(rest.len())..];
            }
            let Some((byte, behind)) = rest.split_first() else {
                return;
            };
            rest = behind;
            self.line.push(*byte);
            if *byte != b'\n' {
                continue;
            }
            let line = std::mem::take(&mut self.line);
            if line.is_too_much {
                self.passed_over.tell(too_much());
            } else if let Some(answer) = no_request(&line.bytes) {
                self.passed_over.tell(answer);
            } else if self.ready.is_empty() {
                self.ready = line.bytes;
            } else {
                self.ready.extend(line.bytes);
            }
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Lines<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        while this.given == this.ready.len() {
            // What waits is answered before more is read.
            if this.passed_over.are_there() {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            (this.ready, this.given) = (Vec::new(), 0);
            let mut bytes = [0; READ];
            let mut read = ReadBuf::new(&mut bytes);
            ready!(Pin::new(&mut this.read).poll_read(cx, &mut read))?;
            if read.filled().is_empty() {
                let mut last = std::mem::take(&mut this.line);
                if last.is_too_much {
                    this.passed_over.tell(too_much());
                } else if let Some(answer) = no_request(&last.bytes) {
                    this.passed_over.tell(answer);
                    last.bytes.clear();
                }
                if last.bytes.is_empty() {
                    return Poll::Ready(Ok(()));
                }
                // The last line may lack its end.
                last.bytes.push(b'\n');
                this.ready = last.bytes;
                continue;
            }
            this.take(read.filled());
        }
        let rest = &this.ready[this.given..];
        let some = &rest[..rest.len().min(buffer.remaining())];
        buffer.put_slice(some);
        this.given += some.len();
        Poll::Ready(Ok(()))
    }
}

/// Requests as lines, answers as lines.
pub(super) struct Bounded<R: AsyncRead + Unpin, W: AsyncWrite> {
    inner: AsyncRwTransport<RoleServer, Lines<R>, W>,
    passed_over: Arc<PassedOver>,
    /// The answer being sent to a line that was skipped. A caller that waits for a message may stop
    /// waiting and begin again.
    answer: Option<Answer>,
    /// The message that was received meanwhile, and whether it was the last.
    received: Option<RxJsonRpcMessage<RoleServer>>,
    is_over: bool,
    /// The library ends soon after the last message, even if some requests have no answer yet.
    unanswered: Arc<Unanswered>,
}

type Answer = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

impl<R, W> Bounded<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(super) fn new(read: R, write: W) -> Bounded<R, W> {
        let passed_over = Arc::new(PassedOver::default());
        let lines = Lines {
            read,
            passed_over: passed_over.clone(),
            line: Line::default(),
            ready: Vec::new(),
            given: 0,
        };
        Bounded {
            inner: AsyncRwTransport::new(lines, write),
            passed_over,
            answer: None,
            received: None,
            is_over: false,
            unanswered: Arc::new(Unanswered::default()),
        }
    }
}

/// Returns the answer to a line that is skipped. It is not known whose request it was.
fn too_much() -> TxJsonRpcMessage<RoleServer> {
    let mib = MAX_LINE / (1024 * 1024);
    let message =
        format!("a line may have at most {mib} MiB and {MAX_VALUES} values; this one was skipped");
    TxJsonRpcMessage::<RoleServer>::error(ErrorData::parse_error(message, None), None)
}

/// Returns the answer to a line that is not a request, which the library would skip; `None` for an
/// empty line, or for a notification, which gets no answer.
fn no_request(line: &[u8]) -> Option<TxJsonRpcMessage<RoleServer>> {
    /// What is known even of a text whose values are wrong.
    #[derive(serde::Deserialize)]
    struct Head {
        id: Option<RequestId>,
        method: Option<IgnoredAny>,
    }
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    if line.trim_ascii().is_empty() {
        return None;
    }
    let fault = serde_json::from_slice::<RxJsonRpcMessage<RoleServer>>(line).err()?;
    let head = serde_json::from_slice::<Head>(line).ok();
    let (id, has_method) = head.map_or((None, false), |head| (head.id, head.method.is_some()));
    if id.is_none() && has_method {
        return None;
    }
    let error = match serde_json::from_slice::<Json>(line) {
        Ok(_) => {
            let what = "a request is an object with `jsonrpc`, `id` and `method`";
            ErrorData::invalid_request(format!("this line is not a request: {fault}; {what}"), None)
        }
        Err(fault) => ErrorData::parse_error(format!("this line is not JSON: {fault}"), None),
    };
    Some(TxJsonRpcMessage::<RoleServer>::error(error, id))
}

impl<R, W> Transport<RoleServer> for Bounded<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let answered = match &message {
            TxJsonRpcMessage::<RoleServer>::Response(answer) => Some(answer.id.clone()),
            TxJsonRpcMessage::<RoleServer>::Error(answer) => answer.id.clone(),
            _ => None,
        };
        let sending = self.inner.send(message);
        let unanswered = self.unanswered.clone();
        async move {
            let sent = sending.await;
            unanswered.take(answered.as_ref());
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(answer) = &mut self.answer {
                // Who does not listen any more gets no answer either.
                let _ = answer.await;
                self.answer = None;
            }
            if let Some(answer) = self.passed_over.take() {
                self.answer = Some(Box::pin(self.inner.send(answer)));
                continue;
            }
            if self.received.is_some() {
                // Those before it get on, and end where they can.
                tokio::task::yield_now().await;
                return self.received.take();
            }
            if self.is_over {
                self.unanswered.wait().await;
                return None;
            }
            self.unanswered.room().await;
            tokio::select! {
                biased;
                received = self.inner.receive() => {
                    self.is_over = received.is_none();
                    if let Some(received) = &received {
                        self.unanswered.add(received);
                    }
                    self.received = received;
                }
                () = self.passed_over.more.notified() => {}
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.inner.close().await
    }
}
