import type { Api } from '../engine/connection.ts';
import { say } from '../../contract/messages/words.ts';
import { resolve } from 'node:path';
import { type Findings, ReadPageRequest, SearchRequest, type WebFinding } from '../../contract/research.ts';
import { withSendingEngine } from '../engine/engine-connector.ts';
import { exitStatus, UsageError, type ExitStatus } from '../exit.ts';
import { jsonLine } from '../output/ndjson.ts';
import { plainText } from '../output/text.ts';
import { printTo, type Session } from '../session.ts';
import { toolFailed } from '../tool-failed.ts';

interface ResearchOptions {
  /** Project folder in which everything that is found is kept. */
  readonly project?: string;
  readonly json?: boolean;
  readonly yes?: boolean;
}

export interface SearchOptions extends ResearchOptions {
  readonly query: string;
  readonly area?: string;
  readonly freshness?: string;
  readonly count?: number;
  readonly page?: number;
  readonly images?: boolean;
}

export function searchWeb(session: Session, options: SearchOptions): Promise<ExitStatus> {
  const { query, area, freshness, count, page, images } = options;
  const request = understood(
    SearchRequest.safeParse({ query, area, freshness, count, page, includeImages: images, isAgreed: options.yes }),
  );
  return research(session, 'dailies research search', options, query, ({ tools }, projectId) =>
    tools.search({ ...request, projectId }),
  );
}

export interface ReadOptions extends ResearchOptions {
  readonly url: string;
  readonly format?: string;
  readonly lite?: boolean;
  readonly only?: readonly string[];
  readonly waitFor?: readonly string[];
  readonly images?: boolean;
}

export function readWebPage(session: Session, options: ReadOptions): Promise<ExitStatus> {
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

function understood<Value>(
  parsed:
    { success: true; data: Value } | { success: false; error: { issues: { path: PropertyKey[]; message: string }[] } },
): Value {
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UsageError(`${String(issue?.path[0] ?? '')}: ${issue?.message ?? ''}.`, say('cli.seeHelp'));
}
