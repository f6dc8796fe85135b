//! `packer mcp`: a server of the Model Context Protocol on standard input and output.

mod completion;
mod here;
mod lines;
mod resources;
mod tools;

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use context_packer::Note;
use context_packer::command::show::quoted;
use context_packer::command::{masked, nearest};
use context_packer::roles::ListedRole;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    ContentBlock, CustomRequest, CustomResult, ErrorCode, ErrorData, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, MetaObject,
    PaginatedRequestParams, ProgressNotificationParam, Prompt, PromptArgument, PromptMessage,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Role, ServerCapabilities,
    ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer, ServerInitializeError, ServiceExt as _};
use tokio::io::{stdin, stdout};
use tokio::sync::Semaphore;

use self::here::{report_without_machine, without_machine};
use self::lines::Bounded;
use self::resources::LastReport;
use self::tools::{Done, TOOLS, Tool, build};
use super::Global;
use super::report::{help_of, sentence};

pub(super) const EXAMPLES: &str = "\
Examples:
  packer mcp -C /path/to/repository
  packer mcp --roles-dir roles --prompts-dir prompts --allow-template audit.j2

A host starts the server itself; most read a file like this one:
  {\"mcpServers\": {\"packer\": {\"command\": \"packer\", \"args\": [\"mcp\", \"-C\", \"/path/to/repository\"]}}}";

const INSTRUCTIONS: &str = "\
Builds prompts for coding agents from one repository: it takes a role, a task and target files, \
and packs the context that the role asks for into a token budget. `read_files` reads files of \
the repository within safe limits. Nothing here changes the repository.";

/// How many answers fit into memory: one is sent as text and as data, and is written.
const ANSWERS: usize = 4;

/// Serves until standard input ends.
pub(super) fn run(global: &Global) -> anyhow::Result<()> {
    // A wrong option is told at once, not by the first tool.
    drop((global.packer()?, global.roles()?));
    context_packer::memory::make_room_for(ANSWERS);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .context("cannot start")?;
    let served = runtime.block_on(async {
        let server = Server {
            global: Arc::new(global.clone()),
            turn: Arc::new(Semaphore::new(1)),
            last: LastReport::default(),
        };
        match server.serve(Bounded::new(stdin(), stdout())).await {
            Ok(running) => running.waiting().await.map(drop).map_err(Into::into),
            // A host that looks whether the program starts.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(anyhow::Error::new(error)),
        }
    });
    // Nobody reads what a tool that still runs would say.
    runtime.shutdown_background();
    served.context("the client could not be served")
}

/// What every call works on.
#[derive(Clone)]
struct Server {
    global: Arc<Global>,
    /// One call works at a time: the limit on memory is that of the whole process.
    turn: Arc<Semaphore>,
    last: LastReport,
}

impl Server {
    /// Returns an error with what to do about it, without the places on the machine where roles are
    /// looked for.
    fn told(&self, error: &anyhow::Error) -> String {
        let message = sentence(error);
        let message = message.split("; searched: ").next().unwrap_or_default();
        let message = match help_of(error) {
            Some(help) => format!("{message}\nhelp: {help}"),
            None => message.to_owned(),
        };
        masked(without_machine(&self.global, message))
    }

    /// Does work that reads files, away from the thread that listens.
    async fn apart<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&Global) -> anyhow::Result<T> + Send + 'static,
    ) -> Result<anyhow::Result<T>, ErrorData> {
        let broken = |_| ErrorData::internal_error("the call was aborted", None);
        let turn = async {
            tell(context, 0, "waiting for its turn").await;
            self.turn.clone().acquire_owned().await
        };
        let turn = tokio::select! {
            biased;
            () = context.ct.cancelled() => {
                return Err(ErrorData::internal_error("the call was cancelled", None));
            }
            turn = turn => turn,
        };
        let turn = turn.map_err(|_| ErrorData::internal_error("the server ends", None))?;
        tell(context, 1, "reads the repository").await;
        let global = self.global.clone();
        let work = move |global: &Global| {
            let done = work(global);
            drop(turn);
            done
        };
        let done = tokio::task::spawn_blocking(move || work(&global))
            .await
            .map_err(broken)?;
        tell(context, STEPS, "done").await;
        Ok(done)
    }
}

/// How many steps of progress a call reports.
const STEPS: u8 = 2;

/// How long to try reporting a call's progress before giving up.
const PATIENCE: Duration = Duration::from_millis(500);

/// Reports a call's progress to a client that asked for it.
async fn tell(context: &RequestContext<RoleServer>, step: u8, what: &str) {
    if let Some(token) = context.meta.get_progress_token() {
        let progress = ProgressNotificationParam::new(token, step.into())
            .with_total(STEPS.into())
            .with_message(what);
        // Who does not listen any more is not waited for: once the input has ended nobody
        // passes it on, and the answer has to come before the server ends.
        let told = context.peer.notify_progress(progress);
        let _ = tokio::time::timeout(PATIENCE, told).await;
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder();
        let capabilities = capabilities
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .enable_completions()
            .build();
        let implementation = Implementation::new("packer", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities)
            .with_server_info(implementation.with_title("packer"))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = TOOLS.iter().map(Tool::described).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = TOOLS.iter().find(|tool| tool.name == request.name) else {
            let near = nearest(&request.name, TOOLS.iter().map(|tool| tool.name));
            let near = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            let message = format!("there is no tool `{}`{near}", quoted(&request.name));
            return Err(ErrorData::invalid_params(masked(message), None));
        };
        let arguments = request.arguments.unwrap_or_default();
        let done = self
            .apart(&context, move |global| (tool.call)(global, &arguments))
            .await?;
        if let (Ok(done), true) = (&done, tool.reports) {
            self.last.keep(&done.data);
        }
        let result = match done {
            Ok(Done { text, data }) => {
                let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
                result.structured_content = Some(data);
                result
            }
            Err(error) => CallToolResult::error(vec![ContentBlock::text(self.told(&error))]),
        };
        Ok(result.into())
    }

    /// Handles a request of a known method whose parameters do not match the protocol.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let CustomRequest { method, params, .. } = request;
        let params = params.unwrap_or_default();
        let why = match &*method {
            "tools/call" => mistake::<CallToolRequestParams>(params),
            "prompts/get" => mistake::<GetPromptRequestParams>(params),
            "resources/read" => mistake::<ReadResourceRequestParams>(params),
            "completion/complete" => mistake::<CompleteRequestParams>(params),
            _ => {
                let message = masked(format!("there is no method `{}`", quoted(&method)));
                return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None));
            }
        };
        let message = format!("the parameters of `{method}` are wrong: {why}");
        Err(ErrorData::invalid_params(masked(message), None))
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let usable = self.apart(&context, usable_roles).await?;
        let usable = usable.map_err(|error| ErrorData::internal_error(self.told(&error), None))?;
        let prompts = usable.into_iter().map(|role| {
            let arguments = vec![
                PromptArgument::new("task")
                    .with_description("What the worker is to do")
                    .with_required(true),
                PromptArgument::new("target")
                    .with_description(
                        "What the task is about, one per line: files, folders, lines \
                         (src/a.rs:120-180), symbols (src/a.rs::Config::load), globs",
                    )
                    .with_required(false),
                PromptArgument::new("budget")
                    .with_description("The token budget, instead of the role's")
                    .with_required(false),
            ];
            Prompt::new(role.name, Some(role.description), Some(arguments))
        });
        Ok(ListPromptsResult::with_all_items(prompts.collect()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let order = tools::of_prompt(&request.name, &arguments);
        let order = order.map_err(|error| ErrorData::invalid_params(self.told(&error), None))?;
        let built = self.apart(&context, |global| build(global, order)).await?;
        let prompt = built.map_err(|error| ErrorData::invalid_params(self.told(&error), None))?;
        let mut report = serde_json::to_value(prompt.report()).unwrap_or_default();
        report_without_machine(&self.global, &mut report);
        self.last.keep(&report);
        let message = PromptMessage::new_text(Role::User, prompt.text.clone());
        let result = GetPromptResult::new(vec![message]);
        let mut warnings: Vec<Note> = prompt.warnings().into_iter().cloned().collect();
        for warning in &mut warnings {
            let message = std::mem::take(&mut warning.message);
            warning.message = without_machine(&self.global, message);
        }
        Ok(with_warnings(result, &warnings).into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let last = self.last.clone();
        let listed = self
            .apart(&context, move |global| resources::listed(global, &last))
            .await?;
        let listed = listed.map_err(|error| ErrorData::internal_error(self.told(&error), None))?;
        Ok(ListResourcesResult::with_all_items(listed))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = resources::templates();
        Ok(ListResourceTemplatesResult::with_all_items(templates))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let last = self.last.clone();
        let read = self
            .apart(&context, move |global| {
                resources::read(global, &last, &request.uri)
            })
            .await?;
        let contents =
            read.map_err(|error| ErrorData::resource_not_found(self.told(&error), None))?;
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let completed = self
            .apart(&context, move |global| {
                completion::of(global, &request.r#ref, &request.argument)
            })
            .await?;
        let info = completed.map_err(|error| ErrorData::internal_error(self.told(&error), None))?;
        Ok(CompleteResult::new(info))
    }
}

/// Returns the roles that can be used, in the order of their names.
fn usable_roles(global: &Global) -> anyhow::Result<Vec<ListedRole>> {
    let mut roles = global.roles()?.list();
    roles.retain(|role| role.error.is_none());
    Ok(roles)
}

/// Whether a text can be the name of a role. With a path, a client could have the server read any
/// role file of the machine.
fn is_name(role: &str) -> bool {
    !role.contains(['/', '\\', '.'])
}

/// Adds what a caller should know about a prompt: for people in its description, for programs
/// beside it.
fn with_warnings(mut result: GetPromptResult, warnings: &[Note]) -> GetPromptResult {
    if warnings.is_empty() {
        return result;
    }
    let lines = warnings
        .iter()
        .map(|note| format!("warning: {}", note.message));
    result.description = Some(lines.collect::<Vec<_>>().join("\n"));
    let mut beside = MetaObject::default();
    let told = serde_json::to_value(warnings).unwrap_or_default();
    beside.0.insert("warnings".into(), told);
    result.meta = Some(beside);
    result
}

/// Describes what is wrong with invalid parameters.
fn mistake<T: serde::de::DeserializeOwned>(params: serde_json::Value) -> String {
    if params.is_null() {
        return "it needs parameters, and there are none".into();
    }
    let read = serde_json::from_value::<T>(params).map(drop);
    let of_all = "`_meta` is not what the protocol expects";
    read.map_or_else(|error| error.to_string(), |()| of_all.into())
}
