import type { Api } from '../engine.ts';
import { say } from '../../contract/messages/words.ts';
import { resolve } from 'node:path';
import { type Findings, ReadPageRequest, SearchRequest, type WebFinding } from '../../contract/research.ts';
import { toolFields, type ToolField } from '../../contract/tool-fields.ts';
import { withSendingEngine } from '../connect.ts';
import { exitStatus, type ExitStatus } from '../exit.ts';
import { jsonLine } from '../output/ndjson.ts';
import { plainText } from '../output/text.ts';
import { printTo, type Session } from '../session.ts';
import { count, JSON_LINES, optionIn, verb, word, type Given, type Word } from '../verb.ts';
import { understood } from './table.ts';
import { toolFailed } from '../output/list.ts';

/** Project folder in which everything that is found is kept. */
const KEEP = word('--project <dir>', 'cli.optKeep');
const YES = word('--yes', 'cli.optYesAgain');
const SEARCH = [word('<QUERY>', 'cli.argQuery'), ...toolFields.search.map(wordOf), KEEP, JSON_LINES, YES];
const READ = [word('<URL>', 'cli.argUrl'), ...toolFields.read.map(wordOf), KEEP, JSON_LINES, YES];
type ResearchOptions = Given<readonly [typeof KEEP, typeof JSON_LINES, typeof YES]>;

export const verbs = [
  verb('research search', 'cli.helpResearchSearch', SEARCH, (session, given: ResearchOptions & { query: string }) => {
    const request = understood(SearchRequest.safeParse({ query: given.query, ...chosen('search', given) }));
    const ask = ({ tools }: Api, projectId: string | null) => tools.search({ ...request, projectId });
    return research(session, 'dailies research search', given, given.query, ask);
  }),
  verb('research read', 'cli.helpResearchRead', READ, (session, given: ResearchOptions & { url: string }) => {
    const request = understood(ReadPageRequest.safeParse({ url: given.url, ...chosen('read', given) }));
    const ask = ({ tools }: Api, projectId: string | null) => tools.readPage({ ...request, projectId });
    return research(session, 'dailies research read', given, given.url, ask);
  }),
];

function wordOf({ flag, help, ...field }: ToolField): Word {
  if (field.control === 'number' || field.control === 'page') return word(flag, help, { parse: count });
  if (field.control !== 'choice') return word(flag, help);
  return word(flag, help, { choices: field.choices.flatMap(([value]) => (value === '' ? [] : [value])) });
}

/** What the options of a tool say, as fields of its request. */
const chosen = (tool: keyof typeof toolFields, given: ResearchOptions): object => ({
  isAgreed: given.yes,
  ...Object.fromEntries(toolFields[tool].map(({ name, flag }) => [name, optionIn(given, flag)])),
});

async function research(
  session: Session,
  command: string,
  { project, json }: ResearchOptions,
  askedFor: string,
  ask: (api: Api, projectId: string | null) => Promise<Findings>,
): Promise<ExitStatus> {
  const print = printTo(session);
  const { stdout, cwd } = session.shell;
  const found = await withSendingEngine(session, command, async ({ api }) => {
    const projectId =
      project === undefined ? null : (await api.projects.open({ path: resolve(cwd, project) })).project.id;
    const answer = await ask(api, projectId);
    if (answer.type === 'failed') return answer;
    for (const finding of answer.findings) {
      if (projectId !== null) await api.clippings.keep({ projectId, askedFor, finding });
      if (json === true) stdout.write(jsonLine({ type: 'finding', ...finding }));
      else for (const line of linesOf(finding)) print(line);
    }
    await api.tools.used({ callId: answer.callId });
    return answer;
  });
  if (found.type === 'failed') return toolFailed(session, found.failure);
  if (json !== true) {
    const count = found.findings.length;
    print(project === undefined ? say('cli.findings', { count }) : say('cli.findingsKept', { count, project }));
  }
  return exitStatus.saved;
}

function linesOf({ title, url, text, images, date }: WebFinding): string[] {
  const heading = [title, date].filter((part) => part !== undefined && part !== '').join(', ');
  const pictures = images.length === 0 ? [] : [say('cli.pictures', { count: images.length })];
  const lines = [heading, url, ...text.split('\n'), ...pictures];
  return [...lines.map(plainText).filter((line) => line !== ''), ''];
}
