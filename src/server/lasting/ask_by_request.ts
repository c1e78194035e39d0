import type {
  CallToolResult,
  ElicitRequestFormParams,
} from "../../../deps/mcp_server.ts";
import { LONGEST_MS } from "./due.ts";
import type { ClientRequest, LastingCall } from "./lasting_call.ts";

/** A request of a client of 2025, by which it can be asked. */
export interface AskableRequest extends ClientRequest {
  send(
    request: { method: "elicitation/create"; params: ElicitRequestFormParams },
    options: { signal: AbortSignal; timeout: number },
  ): Promise<unknown>;
}

/**
 * Answers a request of a client of 2025: the server asks by requests of its own, one
 * at a time, and the client's answers come while the call goes on.
 *
 * @param due Resolves once the request is to be answered, though the call goes on.
 * @param mark Metadata that each question has.
 * @returns Undefined if the call goes on.
 */
export async function answerByAsking(
  call: LastingCall,
  request: AskableRequest,
  due: Promise<void>,
  mark?: Record<string, unknown>,
): Promise<CallToolResult | undefined> {
  using _ = call.attend(request);
  const { questions } = call;
  const ended = new AbortController();
  const end = Promise.race([call.over, due]).then(() => ended.abort());
  while (!ended.signal.aborted) {
    // The user is asked once, by the latest request that waits.
    const turn = questions.asked().then(() => call.untilLatest(request));
    await Promise.race([end, turn]);
    const [question] = questions.open;
    if (ended.signal.aborted || !question) continue;
    const { key, form, signal } = question;
    const later = new AbortController();
    void call.untilLatest(request, false).then(() => later.abort());
    const params = mark ? { ...form, _meta: mark } : form;
    const answer = await request.send(
      { method: "elicitation/create", params },
      {
        signal: AbortSignal.any([signal, ended.signal, later.signal]),
        // The signal ends it before.
        timeout: LONGEST_MS,
      },
    ).catch(() => {
      // The client has failed, or is gone: that is not a yes.
    });
    // Another request may ask it later.
    if (later.signal.aborted) continue;
    if (!ended.signal.aborted) questions.answer(key, answer);
  }
  return call.isOver ? await call.result : undefined;
}
