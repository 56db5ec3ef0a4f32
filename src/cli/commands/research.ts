import type { Api } from '../engine.ts';
import { say } from '../../contract/messages/words.ts';
import { resolve } from 'node:path';
import { type Findings, ReadPageRequest, SearchRequest, type WebFinding } from '../../contract/research.ts';
import { withSendingEngine } from '../connect.ts';
import { exitStatus, type ExitStatus } from '../exit.ts';
import { jsonLine } from '../output/ndjson.ts';
import { plainText } from '../output/text.ts';
import { printTo, type Session } from '../session.ts';
import { count, JSON_LINES, verb, word, type Given } from '../verb.ts';
import { understood } from './table.ts';
import { toolFailed } from '../tool-failed.ts';

const KEEP = word('--project <dir>', 'cli.optKeep');
const YES = word('--yes', 'cli.optYesAgain');
const SEARCH = [
  word('<QUERY>', 'cli.argQuery'),
  word('--area <area>', 'cli.optArea', { choices: ['global', 'cn'] }),
  word('--freshness <time>', 'cli.optFreshness', { choices: ['Day', 'Week', 'Month', 'Year'] }),
  word('--count <n>', 'cli.optCount', { parse: count }),
  word('--page <n>', 'cli.optPage', { parse: count }),
  word('--images', 'cli.optImages'),
  KEEP,
  JSON_LINES,
  YES,
] as const;
const READ = [
  word('<URL>', 'cli.argUrl'),
  word('--format <format>', 'cli.optFormat', { choices: ['markdown', 'text'] }),
  word('--lite', 'cli.optLite'),
  word('--only <selector...>', 'cli.optOnly'),
  word('--wait-for <selector...>', 'cli.optWaitFor'),
  word('--no-images', 'cli.optNoImages'),
  KEEP,
  JSON_LINES,
  YES,
] as const;
type ResearchOptions = Given<readonly [typeof KEEP, typeof JSON_LINES]>;

export const verbs = [
  verb('research search', 'cli.helpResearchSearch', SEARCH, searchWeb),
  verb('research read', 'cli.helpResearchRead', READ, readWebPage),
];

function searchWeb(session: Session, options: Given<typeof SEARCH>): Promise<ExitStatus> {
  const { query, area, freshness, count, page, images } = options;
  const request = understood(
    SearchRequest.safeParse({ query, area, freshness, count, page, includeImages: images, isAgreed: options.yes }),
  );
  return research(session, 'dailies research search', options, query, ({ tools }, projectId) =>
    tools.search({ ...request, projectId }),
  );
}

function readWebPage(session: Session, options: Given<typeof READ>): Promise<ExitStatus> {
  const { url, format, lite, only, waitFor, images } = options;
  const request = understood(
    ReadPageRequest.safeParse({
      ...{ url, format, liteMode: lite, includeImages: images, isAgreed: options.yes },
      ...{ onlyCSSSelectors: only, waitForCSSSelectors: waitFor },
    }),
  );
  return research(session, 'dailies research read', options, url, ({ tools }, projectId) =>
    tools.readPage({ ...request, projectId }),
  );
}

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
