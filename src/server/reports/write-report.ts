import type { FirstTake, NightReport } from '../../contract/night-report.ts';
import { below, toPath, placeIn } from '../../engine/files/place.ts';
import { makeFolder, removeAbandoned, replaceFile } from '../../engine/files/project-files.ts';
import { reportPage } from './report-page.ts';
import { join } from 'node:path';
import type { TakeFile } from '../../engine/review/review.ts';
import { openTakeFile } from '../media/served-file.ts';
import { thumbKey, Thumbs } from '../media/thumbs.ts';
import { nightEnd } from '../../engine/nights/nights.ts';
import { nightStart } from '../../engine/projects/spending.ts';
import { notFound } from '../media/answers.ts';
import type { Engine } from '../../engine/engine.ts';
import type { ServerHost } from '../services.ts';

const FOLDER = 'reports';

/** `report-2026-11-22.html`: of the night that began on that day. */
export function reportName(since: number): string {
  const day = new Date(since);
  const parts = [day.getFullYear(), day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, '0'));
  return `report-${parts.join('-')}.html`;
}

async function makePage(
  report: NightReport,
  { dataFolder, fileOf, ...host }: ReportParts,
  leadsToWindow = false,
): Promise<string> {
  const thumbs = new Thumbs(join(dataFolder, 'thumbs'), host);
  const pictures = await picturesFor(report.firstTakes, thumbs, fileOf);
  await thumbs.bounds.settled();
  return reportPage({ report, pictures, at: host.clock.now(), leadsToWindow });
}

/** Writes a report into its project as a whole. Returns its path. Throws ProjectFileError, or the system's error. */
export async function writeReport(project: string, report: NightReport, parts: ReportParts): Promise<string> {
  const page = await makePage(report, parts);
  const folder = placeIn(project, FOLDER);
  const file = below(folder, reportName(report.since));
  await makeFolder(folder);
  await replaceFile(file, page);
  await removeAbandoned(folder, parts.clock.now());
  return toPath(file);
}

/** Bytes of one small picture, and of all of them: a report is sent by mail. */
const MAX_BYTES = 60_000;
const MAX_BYTES_TOGETHER = 1_200_000;

const PICTURES: ReadonlySet<string> = new Set(['png', 'jpg', 'webp', 'gif']);

interface ReportParts extends Pick<ServerHost, 'dataFolder' | 'clock' | 'logger'> {
  readonly fileOf: (takeId: string) => TakeFile | null;
}

/** Small pictures of takes as `data:` addresses. A film has one once a window has shown it. */
async function picturesFor(takes: readonly FirstTake[], thumbs: Thumbs, fileOf: ReportParts['fileOf']) {
  const pictures = new Map<string, string>();
  let left = MAX_BYTES_TOGETHER;
  for (const { takeId } of takes) {
    const file = fileOf(takeId);
    if (!file || !/^[0-9a-f]{64}$/.test(file.output.sha256)) continue;
    const key = thumbKey(file);
    const picture = PICTURES.has(file.output.format)
      ? await thumbs.of(key, 320, () => openTakeFile(file))
      : await thumbs.kept(key, 320);
    if (!picture || picture.length > Math.min(MAX_BYTES, left)) continue;
    left -= picture.length;
    pictures.set(takeId, `data:image/webp;base64,${picture.toString('base64')}`);
  }
  return pictures;
}

/** The page runs nothing, loads nothing and has no origin. */
export const REPORT_POLICY =
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox";

export interface Reported {
  readonly engine: Pick<Engine, 'nights' | 'review' | 'stores'>;
  readonly host: Pick<ServerHost, 'dataFolder' | 'clock' | 'logger'>;
}

async function reportFor({ engine, host: { dataFolder, clock, logger } }: Reported, projectId: string, night: number) {
  const project = engine.stores.projects.list().find(({ id }) => id === projectId);
  if (!project) return null;
  const since = nightStart(night);
  const report = await engine.nights.report({ since, until: nightEnd(since), projectId });
  const fileFor = (takeId: string) => engine.review.file(takeId, 1);
  return { project, report, parts: { dataFolder, clock, logger, fileOf: fileFor } };
}

export async function answerReport(services: Reported, projectId: string, night: number): Promise<Response> {
  const found = await reportFor(services, projectId, night);
  if (!found) return notFound();
  return new Response(await makePage(found.report, found.parts, true), {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': REPORT_POLICY,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    },
  });
}

export async function writeReportOf(services: Reported, projectId: string, night: number): Promise<string | null> {
  const found = await reportFor(services, projectId, night);
  return found && writeReport(found.project.path, found.report, found.parts);
}
