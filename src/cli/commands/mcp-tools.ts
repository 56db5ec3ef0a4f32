import * as z from 'zod';
import type { Command, PlainKey } from '../../contract/commands/command.ts';
import { commandNamed, commandNames } from '../../contract/commands/index.ts';
import { isUnsent } from '../../contract/job.ts';
import { say, sayText, type MessageKey } from '../../contract/messages/words.ts';
import { contract } from '../../contract/procedures.ts';
import type { Api } from '../engine.ts';

export interface McpTool {
  readonly name: string;
  readonly description: () => string;
  readonly does: 'reads' | 'changes' | 'spends';
  /** Undefined where it takes nothing. */
  readonly schema: z.ZodType | undefined;
  readonly inputSchema: () => {
    readonly type: 'object';
    readonly properties: object;
    readonly [field: string]: unknown;
  };
  /** It lets takes go that people queued. */
  readonly letsOthersGo: boolean;
  /** Fields by which a person agrees to something, or says who acts: no agent can. */
  readonly fixed: Readonly<Record<string, unknown>>;
  call(api: Api, input: unknown, signal: AbortSignal): Promise<unknown>;
}

const QUERIES = {
  'projects.list': 'mcp.projectsList',
  'projects.archived': 'mcp.projectsArchived',
  'projects.facts': 'mcp.projectsFacts',
  'projects.history': 'mcp.projectsHistory',
  'batches.list': 'mcp.batchesList',
  'drafts.list': 'mcp.draftsList',
  'drafts.get': 'mcp.draftsGet',
  'drafts.rows': 'mcp.draftsRows',
  'drafts.defects': 'mcp.draftsDefects',
  'drafts.plan': 'mcp.draftsPlan',
  'jobs.list': 'mcp.jobsList',
  'jobs.get': 'mcp.jobsGet',
  'queue.view': 'mcp.queueView',
  'takes.list': 'mcp.takesList',
  'takes.details': 'mcp.takesDetails',
  'takes.tally': 'mcp.takesTally',
  'takes.tags': 'mcp.takesTags',
  'takes.atStake': 'mcp.takesAtStake',
  'savedViews.list': 'mcp.viewsList',
  'spending.totals': 'mcp.spendingTotals',
  'spending.by': 'mcp.spendingBy',
  'spending.caps': 'mcp.spendingCaps',
  'windows.list': 'mcp.windowsList',
  'promptLibrary.variables': 'mcp.variables',
  'promptLibrary.presets': 'mcp.presets',
  'library.groups': 'mcp.libraryGroups',
  'library.assets': 'mcp.libraryAssets',
  'library.whereUsed': 'mcp.libraryWhereUsed',
  'clippings.list': 'mcp.clippingsList',
  'settings.models': 'mcp.models',
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
  ...Object.entries(QUERIES).map(([name, help]) => toolOf(name, help, 'reads')),
  ...commandNames
    .filter((name) => !NOT_FOR_AGENTS.test(name) && !namesPath(commandNamed(name)))
    .map((name) => {
      const { label, help = label, spends } = commandNamed(name);
      return { ...toolOf(name, help, spends ? 'spends' : 'changes'), letsOthersGo: spends === 'queued' };
    }),
  toolOf('commands.undo', 'common.undo', 'changes'),
];

type Call = (input: unknown, options: { readonly signal: AbortSignal }) => Promise<unknown>;

function toolOf(name: string, description: PlainKey, does: McpTool['does']): McpTool {
  const [noun = '', verb = ''] = name.split('.');
  const procedure = (contract as unknown as Readonly<Record<string, Readonly<Record<string, Procedure>>>>)[noun]?.[
    verb
  ];
  const schema = procedure?.['~orpc'].inputSchema;
  const { $schema: _, ...json } = schema
    ? (z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as z.core.JSONSchema.ObjectSchema)
    : { $schema: '', properties: {} };
  const properties = Object.fromEntries(Object.entries(json.properties ?? {}).filter(([field]) => !(field in FIXED)));
  const fixed = Object.fromEntries(Object.entries(FIXED).filter(([field]) => field in (json.properties ?? {})));
  return {
    name: name.replace('.', '_'),
    description: () => say(does === 'spends' ? 'mcp.spending' : 'mcp.plain', { what: say(description) }),
    ...{ does, schema, fixed, letsOthersGo: false },
    inputSchema: () => ({
      ...json,
      type: 'object',
      properties: {
        ...properties,
        ...(does === 'spends' && { confirm: { type: 'string', description: say('mcp.confirm') } }),
      },
      required: ('required' in json ? (json.required ?? []) : []).filter((field) => !(field in FIXED)),
    }),
    call(api, input, signal) {
      const call = (api as unknown as Readonly<Record<string, Readonly<Record<string, Call>>>>)[noun]?.[verb] as Call;
      return call(input, { signal });
    },
  };
}

interface Procedure {
  readonly '~orpc': { readonly inputSchema?: z.ZodType };
}

/** What a call would cost by the prices of the person: of so many requests, some without a price. */
export interface Priced {
  readonly requests: number;
  readonly price: number | null;
  readonly unpriced: number;
  readonly currency: string;
}

const JOBS_AT_ONCE = 5000;

export async function priceOfCall({ name }: McpTool, api: Api, input: unknown): Promise<Priced> {
  const given = input as Given;
  switch (name) {
    case 'drafts_start': {
      const { draftId = '', name: batch = '', again = false, keepOthers = false } = given;
      const { newTakes, price, unpriced, currency } = await api.drafts.plan({
        draftId,
        name: batch,
        again,
        keepOthers,
      });
      return { requests: newTakes, price, unpriced, currency };
    }
    case 'batches_addShot': {
      const estimate = await api.drafts.estimate(input as never);
      const { newTakes = 0, price = null, unpriced = 0, currency = '' } = estimate ?? {};
      return { requests: newTakes, price, unpriced, currency };
    }
    case 'takes_another': {
      const { newTakes, price, unpriced, currency } = await api.takes.estimate(input as never);
      return { requests: newTakes, price, unpriced, currency };
    }
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

interface Given {
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

async function unsentIn(api: Api, { scope: { projectId, batchId } = {} }: Given): Promise<string[]> {
  const scope = { ...(projectId !== undefined && { projectId }), ...(batchId !== undefined && { batchId }) };
  const ids: string[] = [];
  for (let start = 0; ; start += JOBS_AT_ONCE) {
    const { jobs } = await api.jobs.list({ ...scope, standing: 'unfinished', start, count: JOBS_AT_ONCE });
    ids.push(...jobs.filter(isUnsent).map(({ id }) => id));
    if (jobs.length < JOBS_AT_ONCE) return ids;
  }
}

export function wordsIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(wordsIn);
  if (typeof value !== 'object' || value === null) return value;
  if ('key' in value && typeof value.key === 'string' && Object.keys(value).every((field) => MESSAGE.includes(field))) {
    return sayText(value as { readonly key: MessageKey });
  }
  return Object.fromEntries(Object.entries(value).map(([field, each]) => [field, wordsIn(each)]));
}

const MESSAGE = ['key', 'values'];
