import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema, type CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { Cap } from '../../contract/ledger.ts';
import { say, sayText } from '../../contract/messages/words.ts';
import { DailiesError } from '../../engine/base/errors.ts';
import { KeyedMutex } from '../../engine/base/keyed-mutex.ts';
import { packageVersion } from '../../host/package-folder.ts';
import { EngineConnector, withQuietEngine } from '../connect.ts';
import type { Api } from '../engine.ts';
import { exitStatus, UsageError, type ExitStatus } from '../exit.ts';
import { errorRemedy } from '../output/remedies.ts';
import { escaped } from '../output/ndjson.ts';
import { serviceAccess, settingsOf } from '../service-access.ts';
import { aborted, type Session } from '../session.ts';
import { amount, count, verb, word, type Given } from '../verb.ts';
import { MCP_TOOLS, priceOfCall, wordsIn, type McpTool, type Priced } from './mcp-tools.ts';
import { understood } from './table.ts';

const MCP = [
  word('--allow-changes', 'cli.optAllowChanges'),
  word('--allow-spend', 'cli.optAllowSpend'),
  word('--max-spend <amount>', 'cli.optAgentSpend', { parse: amount }),
  word('--max-takes <n>', 'cli.optAgentTakes', { parse: count }),
] as const;

export const verbs = [verb('mcp', 'cli.helpMcp', MCP, mcp)];

/** What a person lets the agent do; `null`: it spends nothing. */
interface Leave {
  readonly changes: boolean;
  readonly cap: Cap | null;
}

async function mcp(session: Session, options: Given<typeof MCP>): Promise<ExitStatus> {
  const { shell, interrupted } = session;
  const agent = new AgentSession(session, leaveOf(options));
  const server = new Server(
    { name: 'dailies', version: packageVersion() },
    { capabilities: { tools: {} }, instructions: say('mcp.instructions') },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: agent.tools() }));
  server.setRequestHandler(CallToolRequestSchema, ({ params: { name, arguments: given = {} } }, { signal }) =>
    agent.call(name, given, signal),
  );
  const stdin = Readable.from(shell.stdin, { objectMode: true });
  const stdout = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      // Only the line feed behind each message controls anything.
      shell.stdout.write(`${escaped(text.trimEnd())}\n`);
      done();
    },
  });
  await server.connect(new StdioServerTransport(stdin, stdout));
  await Promise.race([once(stdin, 'end'), aborted(interrupted)]);
  await server.close();
  return exitStatus.saved;
}

function leaveOf({ allowChanges = false, allowSpend, maxSpend, maxTakes }: Given<typeof MCP>): Leave {
  if (!allowSpend) return { changes: allowChanges, cap: null };
  if (maxSpend === undefined && maxTakes === undefined) {
    throw new UsageError(say('cli.agentWithoutCap'), say('cli.agentWithoutCapRemedy'));
  }
  return { changes: allowChanges, cap: { money: maxSpend ?? null, takes: maxTakes ?? null } };
}

/** One agent on its connection. Its name is made here: nothing that the agent says can change who acts. */
class AgentSession {
  readonly #session: Session;
  readonly #leave: Leave;
  readonly #name = randomUUID();
  /** An engine of this process can only be used by one call at a time. */
  readonly #calls = new KeyedMutex();
  /** Calls whose price was told, by the token that confirms it. */
  readonly #priced = new Map<string, string>();
  #isAllowed = false;

  constructor(session: Session, leave: Leave) {
    this.#session = session;
    this.#leave = leave;
  }

  tools() {
    return MCP_TOOLS.filter((tool) => this.#mayCall(tool)).map(({ name, description, inputSchema, does }) => ({
      ...{ name, description: description(), inputSchema: inputSchema() },
      annotations: { readOnlyHint: does === 'reads', openWorldHint: does === 'spends' },
    }));
  }

  async call(name: string, given: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<CallToolResult> {
    const tool = MCP_TOOLS.find((each) => each.name === name);
    try {
      if (!tool) throw new UsageError(say('mcp.unknownTool', { name }), say('mcp.unknownToolRemedy'));
      if (!this.#mayCall(tool)) throw notAllowed(tool);
      const { confirm, ...input } = given;
      const read =
        tool.schema === undefined ? undefined : understood(tool.schema.safeParse({ ...input, ...tool.fixed }));
      const answer = await this.#calls.run('engine', () => this.#perform(tool, read, confirm, signal));
      return { content: [{ type: 'text', text: JSON.stringify(wordsIn(answer) ?? null) }] };
    } catch (error) {
      return { content: [{ type: 'text', text: problemOf(error) }], isError: true };
    }
  }

  #mayCall({ does }: McpTool): boolean {
    if (does === 'reads') return true;
    return does === 'spends' ? this.#leave.cap !== null : this.#leave.changes;
  }

  async #perform(tool: McpTool, input: unknown, confirm: unknown, signal: AbortSignal): Promise<unknown> {
    if (tool.does !== 'spends') return this.#withApi(false, (api) => tool.call(api, input, signal));
    const asked = JSON.stringify([tool.name, input]);
    if (confirm === undefined) {
      const price = await this.#withApi(false, (api) => priceOfCall(tool, api, input));
      // What people queued is never held back because an agent let it go.
      if (tool.letsOthersGo && isAbove(price, this.#leave.cap)) {
        throw new UsageError(say('mcp.aboveCap', { requests: price.requests }), say('mcp.aboveCapRemedy'));
      }
      const token = randomUUID();
      this.#priced.set(token, asked);
      return { ...price, cap: this.#leave.cap, confirm: token, next: say('mcp.confirmPrice') };
    }
    if (this.#priced.get(String(confirm)) !== asked) {
      throw new UsageError(say('mcp.otherPrice'), say('mcp.otherPriceRemedy'));
    }
    this.#priced.delete(String(confirm));
    await this.#allow();
    return this.#withApi(true, (api) => tool.call(api, input, signal));
  }

  /** The person who started this lets the agent spend so much: written down before anything can be spent. */
  async #allow(): Promise<void> {
    const { cap } = this.#leave;
    if (this.#isAllowed || cap === null) return;
    await withQuietEngine(this.#session, 'dailies mcp', ({ api }) => api.agents.allow({ session: this.#name, cap }));
    this.#isAllowed = true;
  }

  async #withApi<Result>(sends: boolean, work: (api: Api) => Promise<Result>): Promise<Result> {
    const session = this.#session;
    const own = async () => (sends ? serviceAccess(session) : { settings: settingsOf(session), apiKey: null });
    const wanted = { command: 'dailies mcp', sends, own, agent: this.#name };
    return (await EngineConnector.find(session, wanted)).use(({ api }) => work(api));
  }
}

const isAbove = ({ requests, price, unpriced }: Priced, cap: Cap | null): boolean =>
  (cap?.takes != null && requests > cap.takes) || (cap?.money != null && (unpriced > 0 || (price ?? 0) > cap.money));

const notAllowed = ({ does }: McpTool): UsageError =>
  does === 'spends'
    ? new UsageError(say('failure.agentMayNotSpend'), say('remedy.allowSpend'))
    : new UsageError(say('mcp.noChanges'), say('mcp.noChangesRemedy'));

function problemOf(error: unknown): string {
  if (error instanceof UsageError) return [error.text, error.remedy].map(sayText).join('\n');
  if (error instanceof DailiesError) return `${sayText(error.text)}\n${errorRemedy(error)}`;
  return say('mcp.internal');
}
