import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  Describer,
  type DescribeRequest,
  type Nearest,
  type Findings,
  ReadPageRequest,
  SearchRequest,
  type WebFinding,
} from '../../contract/tool.ts';
import type { Failure } from '../../contract/failure.ts';
import { t } from '../../contract/messages/words.ts';
import { type ToolField, toolFields } from '../../contract/tool-fields.ts';
import { openProject, projectToOpen, withSendingEngine } from '../connect.ts';
import type { Api } from '../engine.ts';
import { type ExitStatus, refused } from '../exit.ts';
import { jobNamed, viewDataFolder } from '../look.ts';
import { toColumns, printList, printOne, toolFailed } from '../output/list.ts';
import { plainText, shortText } from '../output/text.ts';
import type { Session } from '../session.ts';
import { count, type Given, JSON_LINES, OF_PROJECT, optionIn, verb, word, type Word } from '../verb.ts';
import { understood } from './table.ts';

/** Tools that bill each call. */

const YES = word('--yes', 'cli.optYesCharges');
const DESCRIBE = [
  word('<PICTURE>', 'cli.argPicture'),
  word('--with <family>', 'cli.optWith', { choices: Describer.options, required: true }),
  JSON_LINES,
  YES,
] as const;
const SEARCH = [
  word('<TEXT>', 'cli.argSearchText'),
  OF_PROJECT,
  word('--model <id>', 'review.embeddingModel', { required: true }),
  // Texts that have no vector yet get one first, which is billed.
  word('--index', 'cli.optIndex'),
  word('--limit <n>', 'cli.optLimit', { parse: count }),
  JSON_LINES,
  YES,
] as const;
/** Project folder in which everything that is found is kept. */
const KEPT = [word('--project <dir>', 'cli.optKeep'), JSON_LINES, YES] as const;
const FIND = [word('<QUERY>', 'cli.argSearchText'), ...toolFields.search.map(toWord), ...KEPT];
const READ = [word('<URL>', 'research.pageAddress'), ...toolFields.read.map(toWord), ...KEPT];
type ResearchOptions = Given<typeof KEPT>;

export const verbs = [
  verb('describe', 'cli.helpDescribe', DESCRIBE, async (session, options) => {
    const { picture, project } = pictureNamed(session, options.picture);
    const request = { picture, describer: options.with, isAgreed: options.yes === true };
    const described = await withSendingEngine(
      session,
      async ({ api: { tools } }) => {
        const answer = await tools.describe(request);
        if (answer.type === 'failed') return answer;
        for (const text of answer.texts) printOne(session, { type: 'description', text }, plainText(text));
        await tools.used({ callId: answer.callId });
        return answer;
      },
      project,
    );
    if (described.type === 'failed') return toolFailed(session, described.failure);
  }),
  verb('search', 'cli.helpSearch', SEARCH, async (session, options) => {
    const { text, model, limit = 10, yes: isAgreed = false } = options;
    const found = await withSendingEngine(
      session,
      async ({ api }): Promise<Nearest> => {
        const projectId = (await api.projects.open(projectToOpen(session, options.project))).project.id;
        if (options.index === true) {
          const failure = await indexAll(session, api, { projectId, model, isAgreed });
          if (failure) return { type: 'failed', failure };
        }
        return api.tools.nearest({ projectId, model, text, limit: Math.min(limit, 1000), isAgreed });
      },
      options.project,
    );
    if (found.type === 'failed') return toolFailed(session, found.failure);
    const { takes, status } = found;
    printList(session, {
      type: 'take',
      rows: takes,
      object: ({ take, score }) => ({ score, ...take }),
      columns: toColumns('cli.score', 'common.batch', 'common.shot', 'common.take', 'common.prompt', 'common.file'),
      cells: ({ take: { batch, shot, take, prompt, files }, score }) => [
        ...[score.toFixed(3), shortText(batch, 24), plainText(shot), String(take)],
        ...[shortText(prompt, 60), plainText(files[0] ?? '')],
      ],
      below: [
        t('cli.found', { count: takes.length, indexed: status.indexed, texts: status.texts }),
        status.indexed < status.texts ? t('cli.indexOthers') : '',
      ],
    });
  }),
  verb('research search', 'command.searchWeb', FIND, (session, given: ResearchOptions & { query: string }) => {
    const request = understood(SearchRequest.safeParse({ query: given.query, ...chosen('search', given) }));
    return research(session, given, given.query, ({ tools }, projectId) => tools.search({ ...request, projectId }));
  }),
  verb('research read', 'command.readPage', READ, (session, given: ResearchOptions & { url: string }) => {
    const request = understood(ReadPageRequest.safeParse({ url: given.url, ...chosen('read', given) }));
    return research(session, given, given.url, ({ tools }, projectId) => tools.readPage({ ...request, projectId }));
  }),
];

/** With the folder of its project, where it is of a take. */
function pictureNamed(
  { dataFolder, shell }: Session,
  text: string,
): { readonly picture: DescribeRequest['picture']; readonly project?: string | undefined } {
  const path = resolve(shell.cwd, text);
  if (existsSync(path)) return { picture: { path } };
  return viewDataFolder(dataFolder, (view) => {
    const named = jobNamed(text, (id) => view.queries.list({ ids: [id] }));
    if (named.ok) {
      const { id, projectId } = named.job;
      return { picture: { takeId: id, output: 1 }, project: view.projects.get(projectId)?.path };
    }
    throw refused('cli.noPicture', { path, text });
  });
}

async function indexAll(
  { complain }: Session,
  { tools }: Api,
  request: Parameters<Api['tools']['index']>[0],
): Promise<Failure | null> {
  for (;;) {
    const step = await tools.index(request);
    if (step.type === 'failed') return step.failure;
    if (step.indexed >= step.texts) return null;
    complain(t('review.indexing', { done: step.indexed, total: step.texts }));
  }
}

function toWord({ flag, label, ...field }: ToolField): Word {
  if (field.control === 'number' || field.control === 'page') return word(flag, label, { parse: count });
  if (field.control !== 'choice') return word(flag, label);
  return word(flag, label, { choices: field.choices.flatMap(([value]) => (value === '' ? [] : [value])) });
}

const chosen = (tool: keyof typeof toolFields, given: ResearchOptions): object => ({
  isAgreed: given.yes,
  ...Object.fromEntries(toolFields[tool].map(({ name, flag }) => [name, optionIn(given, flag)])),
});

async function research(
  session: Session,
  { project }: ResearchOptions,
  askedFor: string,
  ask: (api: Api, projectId: string | null) => Promise<Findings>,
): Promise<ExitStatus | undefined> {
  const { json, print } = session;
  const found = await withSendingEngine(
    session,
    async ({ api }) => {
      const projectId = await openProject(session, api, project);
      const answer = await ask(api, projectId);
      if (answer.type === 'failed') return answer;
      for (const finding of answer.findings) {
        if (projectId !== null) await api.clippings.keep({ projectId, askedFor, finding });
        printOne(session, { type: 'finding', ...finding }, toLines(finding));
      }
      await api.tools.used({ callId: answer.callId });
      return answer;
    },
    project,
  );
  if (found.type === 'failed') return toolFailed(session, found.failure);
  const { length } = found.findings;
  if (json) return undefined;
  print(t('cli.findings', { count: length, isKept: project === undefined ? 'no' : 'yes', project: project ?? '' }));
}

function toLines({ title, url, text, images, date }: WebFinding): string {
  const heading = [title, date].filter((part) => part !== undefined && part !== '').join(', ');
  const pictures = images.length === 0 ? [] : [t('cli.pictures', { count: images.length })];
  const lines = [heading, url, ...text.split('\n'), ...pictures];
  return [...lines.map(plainText).filter((line) => line !== ''), ''].join('\n');
}
