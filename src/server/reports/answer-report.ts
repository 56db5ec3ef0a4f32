import { nightEnd } from '../../engine/nights/nights.ts';
import { nightStart } from '../../engine/projects/spending.ts';
import { notFound } from '../media/answers.ts';
import type { Services } from '../services.ts';
import { makePage, writeReport } from './write-report.ts';

/** The page runs nothing, loads nothing and has no origin. */
export const REPORT_POLICY =
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox";

/** The report of a night of a project as it is now; null for a project that is not there. */
async function reportOf({ engine, host }: Services, projectId: string, night: number) {
  const project = engine.projects.list().find(({ id }) => id === projectId);
  if (!project) return null;
  const since = nightStart(night);
  const report = await engine.nights.report({ since, until: nightEnd(since, nightStart), projectId });
  return { project, report, parts: { ...host, fileOf: (takeId: string) => engine.review.file(takeId, 1) } };
}

/** The page of a report, for a window in a browser. */
export async function answerReport(services: Services, projectId: string, night: number): Promise<Response> {
  const found = await reportOf(services, projectId, night);
  if (!found) return notFound();
  return new Response(await makePage(found.report, found.parts), {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': REPORT_POLICY,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    },
  });
}

/** Writes the page into its project. Returns its path; null for a project that is not there. */
export async function writeReportOf(services: Services, projectId: string, night: number): Promise<string | null> {
  const found = await reportOf(services, projectId, night);
  return found && writeReport(found.project.path, found.report, found.parts);
}
