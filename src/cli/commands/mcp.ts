import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, type CallToolResult, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import type { Estimate } from '../../contract/batch.ts';
import type { Command } from '../../contract/commands/command.ts';
import type { PlainKey } from '../../contract/messages/message-for.ts';
import { commandNamed, commandNames } from '../../contract/commands/index.ts';
import { isUnsent } from '../../contract/job.ts';
import type { Cap } from '../../contract/ledger.ts';
import { type MessageKey, t, sayText } from '../../contract/messages/words.ts';
import { contract } from '../../contract/procedures.ts';
import { DailiesError, mayNotSpend, type RefusedError } from '../../engine/base/errors.ts';
import { KeyedMutex } from '../../engine/base/keyed-mutex.ts';
import { packageVersion } from '../../host/package-folder.ts';
import { findEngine, withQuietEngine } from '../connect.ts';
import type { Api } from '../engine.ts';
import { refused } from '../exit.ts';
import { escaped } from '../output/text.ts';
import { errorRemedy } from '../output/words.ts';
import { aborted, type Session } from '../session.ts';
import { amount, count, type Given, verb, word } from '../verb.ts';
import { understood } from './table.ts';

const MCP = [
  word('--allow-changes', 'cli.optAllowChanges'),
  word('--allow-spend', 'cli.optAllowSpend'),
  word('--max-spend <amount>', 'cli.optCapSpend', { parse: amount }),
  word('--max-takes <n>', 'cli.optAgentTakes', { parse: count }),
] as const;

export const verbs = [verb('mcp', 'cli.helpMcp', MCP, mcp)];

/** What a person lets the agent do; `null`: it spends nothing. */
interface Leave {
  readonly changes: boolean;
  readonly cap: Cap | null;
}

async function mcp(session: Session, options: Given<typeof MCP>): Promise<void> {
  const { shell, interrupted } = session;
  const agent = connectAgent(session, permissionFrom(options));
  const server = new Server(
    { name: 'dailies', version: packageVersion() },
    { capabilities: { tools: {} }, instructions: t('mcp.instructions') },
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
}

function permissionFrom({ allowChanges = false, allowSpend, maxSpend, maxTakes }: Given<typeof MCP>): Leave {
  if (!allowSpend) return { changes: allowChanges, cap: null };
  if (maxSpend === undefined && maxTakes === undefined) throw refused('cli.agentWithoutCap');
  return { changes: allowChanges, cap: { money: maxSpend ?? null, takes: maxTakes ?? null } };
}

/** One agent on its connection. Its name is made here: nothing that the agent says can change who acts. */
function connectAgent(session: Session, leave: Leave) {
  const agent = randomUUID();
  /** An engine of this process can only be used by one call at a time. */
  const calls = new KeyedMutex();
  /** Calls whose price was told, by the token that confirms it. */
  const priced = new Map<string, string>();
  let isAllowed = false;

  function mayCall({ does }: McpTool): boolean {
    if (does === 'reads') return true;
    return does === 'spends' ? leave.cap !== null : leave.changes;
  }

  const withApi = async <Result>(sends: boolean, work: (api: Api) => Promise<Result>): Promise<Result> =>
    (await findEngine(session, { sends, agent })).use(({ api }) => work(api));

  /** The person who started this lets the agent spend so much: written down before anything can be spent. */
  async function allow(): Promise<void> {
    const { cap } = leave;
    if (isAllowed || cap === null) return;
    await withQuietEngine(session, ({ api }) => api.agents.allow({ session: agent, cap }));
    isAllowed = true;
  }

  async function perform(tool: McpTool, input: unknown, confirm: unknown, signal: AbortSignal): Promise<unknown> {
    if (tool.does !== 'spends') return withApi(false, (api) => tool.call(api, input, signal));
    const asked = JSON.stringify([tool.name, input]);
    if (confirm === undefined) {
      const price = await withApi(false, (api) => priceOfCall(tool, api, input));
      // What people queued is never held back because an agent let it go.
      if (tool.letsOthersGo && isAbove(price, leave.cap)) throw refused('mcp.aboveCap', { requests: price.requests });
      const token = randomUUID();
      priced.set(token, asked);
      return { ...price, cap: leave.cap, confirm: token, next: t('mcp.confirmPrice') };
    }
    if (priced.get(String(confirm)) !== asked) throw refused('mcp.otherPrice');
    priced.delete(String(confirm));
    await allow();
    return withApi(true, (api) => tool.call(api, input, signal));
  }

  return {
    tools: () =>
      MCP_TOOLS.filter(mayCall).map(({ name, description, inputSchema, does }) => ({
        ...{ name, description: description(), inputSchema: inputSchema() },
        annotations: { readOnlyHint: does === 'reads', openWorldHint: does === 'spends' },
      })),
    async call(name: string, given: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<CallToolResult> {
      const tool = MCP_TOOLS.find((each) => each.name === name);
      try {
        if (!tool) throw refused('mcp.unknownTool', { name });
        if (!mayCall(tool)) throw notAllowed(tool);
        const { confirm, ...input } = given;
        const read = tool.schema && understood(tool.schema.safeParse({ ...input, ...tool.fixed }));
        const answer = await calls.run('engine', () => perform(tool, read, confirm, signal));
        return { content: [{ type: 'text', text: JSON.stringify(wordsIn(answer) ?? null) }] };
      } catch (error) {
        return { content: [{ type: 'text', text: toProblem(error) }], isError: true };
      }
    },
  };
}

const isAbove = ({ requests, price, unpriced }: Priced, cap: Cap | null): boolean =>
  (cap?.takes != null && requests > cap.takes) || (cap?.money != null && (unpriced > 0 || (price ?? 0) > cap.money));

const notAllowed = ({ does }: McpTool): RefusedError => (does === 'spends' ? mayNotSpend() : refused('mcp.noChanges'));

function toProblem(error: unknown): string {
  if (error instanceof DailiesError) return `${sayText(error.text)}\n${errorRemedy(error)}`.trim();
  return t('mcp.internal');
}

/** `letsOthersGo`: it lets takes go that people queued. */
type McpTool = ReturnType<typeof toolFor> & { readonly letsOthersGo?: boolean };

const QUERIES = {
  'projects.list': 'cli.helpProjectsList',
  'projects.archived': 'mcp.projectsArchived',
  'projects.facts': 'cli.helpProjectsFacts',
  'projects.history': 'cli.helpHistory',
  'batches.list': 'cli.helpBatchesList',
  'drafts.list': 'mcp.draftsList',
  'drafts.get': 'mcp.draftsGet',
  'drafts.rows': 'mcp.draftsRows',
  'drafts.defects': 'mcp.draftsDefects',
  'drafts.plan': 'mcp.draftsPlan',
  'jobs.list': 'cli.helpJobsList',
  'jobs.get': 'mcp.jobsGet',
  'queue.view': 'mcp.queueView',
  'takes.list': 'cli.helpTakesList',
  'takes.details': 'mcp.takesDetails',
  'takes.tally': 'mcp.takesTally',
  'takes.tags': 'mcp.takesTags',
  'takes.atStake': 'mcp.takesAtStake',
  'savedViews.list': 'cli.helpViewsList',
  'spending.totals': 'mcp.spendingTotals',
  'spending.by': 'cli.helpSpend',
  'spending.caps': 'mcp.spendingCaps',
  'windows.list': 'mcp.windowsList',
  'promptLibrary.variables': 'cli.helpVariablesList',
  'promptLibrary.presets': 'cli.helpPresetsList',
  'library.groups': 'cli.helpAssetsGroups',
  'library.assets': 'cli.helpAssetsList',
  'library.whereUsed': 'cli.helpWhereUsed',
  'clippings.list': 'mcp.clippingsList',
  'settings.models': 'cli.helpModels',
  'settings.prices': 'mcp.prices',
} as const satisfies Readonly<Record<string, PlainKey>>;

/**
 * Settings hold prices, addresses and keys, which are a person's; an agent lets itself do nothing; and what was paid for
 * is removed for good by a person alone.
 */
const NOT_FOR_AGENTS = /^(?:agents|settings|messages|desktop|places)\.|^takes\.emptyTrash$/;

const FIXED = { agreed: [], isAgreed: false, paidAgain: 0, by: '' } as const;

const namesPath = ({ files, input }: Command): boolean =>
  files === true || ('shape' in input && 'path' in (input.shape as object));

/** Everything an agent may call, if a person lets it: it names no files and folders. */
export const MCP_TOOLS: readonly McpTool[] = [
  ...Object.entries(QUERIES).map(([name, help]) => toolFor(name, help, 'reads')),
  ...commandNames
    .filter((name) => !NOT_FOR_AGENTS.test(name) && !namesPath(commandNamed(name)))
    .map((name) => {
      const { label, spends } = commandNamed(name);
      return { ...toolFor(name, label, spends ? 'spends' : 'changes'), letsOthersGo: spends === 'queued' };
    }),
  toolFor('commands.undo', 'menu.role.undo', 'changes'),
];

interface Procedure {
  readonly '~orpc': { readonly inputSchema?: z.ZodType };
}
type Call = (input: unknown, options: { readonly signal: AbortSignal }) => Promise<unknown>;

/** What a table of nouns and verbs has under `drafts.start`. */
function under<Each>(table: unknown, noun: string, verb: string): Each {
  return (table as Readonly<Record<string, Readonly<Record<string, Each>>>>)[noun]?.[verb] as Each;
}

function toolFor(name: string, description: PlainKey, does: 'reads' | 'changes' | 'spends') {
  const [noun = '', verb = ''] = name.split('.');
  // Undefined where it takes nothing.
  const schema = under<Procedure>(contract, noun, verb)['~orpc'].inputSchema;
  const { $schema: _, ...json } = schema
    ? (z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as z.core.JSONSchema.ObjectSchema)
    : { $schema: '' };
  const { properties: all = {}, required = [] } = json as Partial<z.core.JSONSchema.ObjectSchema>;
  const properties = Object.fromEntries(Object.entries(all).filter(([field]) => !(field in FIXED)));
  return {
    name: name.replace('.', '_'),
    description: () => t(does === 'spends' ? 'mcp.spending' : 'mcp.plain', { what: t(description) }),
    ...{ does, schema },
    /** Fields by which a person agrees to something, or says who acts: no agent can. */
    fixed: Object.fromEntries(Object.entries(FIXED).filter(([field]) => field in all)),
    inputSchema: () => ({
      ...json,
      type: 'object' as const,
      properties: {
        ...properties,
        ...(does === 'spends' && { confirm: { type: 'string', description: t('mcp.confirm') } }),
      } as object,
      required: required.filter((field) => !(field in FIXED)),
    }),
    call: (api: Api, input: unknown, signal: AbortSignal) => under<Call>(api, noun, verb)(input, { signal }),
  };
}

interface Priced {
  readonly requests: number;
  readonly price: number | null;
  readonly unpriced: number;
  readonly currency: string;
}

const JOBS_AT_ONCE = 5000;

const PRICES: Readonly<Record<string, (api: Api, asked: Asked) => Promise<Estimate | null>>> = {
  drafts_start: ({ drafts }, { draftId = '', name = '', again = false, keepOthers = false }) =>
    drafts.plan({ draftId, name, again, keepOthers }),
  batches_addShot: ({ drafts }, asked) => drafts.estimate(asked as never),
  takes_another: ({ takes }, asked) => takes.estimate(asked as never),
  takes_refresh: ({ takes }, asked) => takes.refreshPlan(asked as never),
  takes_more: ({ takes }, asked) => takes.planMore(asked as never),
};

async function priceOfCall({ name }: McpTool, api: Api, input: unknown): Promise<Priced> {
  const given = input as Asked;
  const priceOf = PRICES[name];
  if (priceOf) {
    const { newTakes = 0, price = null, unpriced = 0, currency = '' } = (await priceOf(api, given)) ?? {};
    return { requests: newTakes, price, unpriced, currency };
  }
  if (name.startsWith('tools_')) {
    const { price, currency } = await api.tools.price({
      ...{ model: given.model ?? PRICED_AS[name] ?? '', calls: 1, projectId: given.projectId ?? null },
    });
    return { requests: 1, price, unpriced: price === null ? 1 : 0, currency };
  }
  const ids = given.ids ?? (given.jobId === undefined ? await unsentIn(api, given) : [given.jobId]);
  if (ids.length === 0) return { requests: 0, price: 0, unpriced: 0, currency: '' };
  const { again, currency } = await api.takes.atStake({ ids });
  return { ...again, currency };
}

interface Asked {
  readonly ids?: string[];
  readonly jobId?: string;
  readonly draftId?: string;
  readonly name?: string;
  readonly again?: boolean;
  readonly keepOthers?: boolean;
  readonly model?: string;
  readonly projectId?: string | null;
  readonly scope?: { readonly projectId?: string; readonly batchId?: string };
}

/** The word of a tool without a model in the table of prices; see docs/reference/service.md. */
const PRICED_AS: Readonly<Record<string, string>> = {
  tools_search: 'web-search',
  tools_readPage: 'web-reader',
  tools_describe: 'jobimg',
};

async function unsentIn(api: Api, { scope: { projectId, batchId } = {} }: Asked): Promise<string[]> {
  const scope = { ...(projectId !== undefined && { projectId }), ...(batchId !== undefined && { batchId }) };
  const ids: string[] = [];
  for (let start = 0; ; start += JOBS_AT_ONCE) {
    const { jobs } = await api.jobs.list({ ...scope, standing: 'unfinished', start, count: JOBS_AT_ONCE });
    ids.push(...jobs.filter(isUnsent).map(({ id }) => id));
    if (jobs.length < JOBS_AT_ONCE) return ids;
  }
}

function wordsIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(wordsIn);
  if (typeof value !== 'object' || value === null) return value;
  if ('key' in value && typeof value.key === 'string' && Object.keys(value).every((field) => MESSAGE.includes(field))) {
    return sayText(value as { readonly key: MessageKey });
  }
  return Object.fromEntries(Object.entries(value).map(([field, each]) => [field, wordsIn(each)]));
}

const MESSAGE = ['key', 'values'];
