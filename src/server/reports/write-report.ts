import type { NightReport } from '../../contract/night-report.ts';
import { below, pathOf, placeIn } from '../../engine/files/place.ts';
import { makeFolder, removeAbandoned, replaceFile } from '../../engine/files/project-files.ts';
import { reportPage } from './report-page.ts';
import { reportPictures, type PicturesParts } from './report-pictures.ts';

/** Folder of a project that reports lie in. */
const FOLDER = 'reports';

/** `report-2026-11-22.html`: of the night that began on that day. */
export function reportName(since: number): string {
  const day = new Date(since);
  const parts = [day.getFullYear(), day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, '0'));
  return `report-${parts.join('-')}.html`;
}

/** A report as a page, with its pictures. */
export async function makePage(report: NightReport, parts: PicturesParts): Promise<string> {
  const pictures = await reportPictures(report.firstTakes, parts);
  return reportPage({ report, pictures, at: parts.clock.now() });
}

/** Writes a report into its project as a whole. Returns its path. Throws ProjectFileError, or the system's error. */
export async function writeReport(project: string, report: NightReport, parts: PicturesParts): Promise<string> {
  const page = await makePage(report, parts);
  const folder = placeIn(project, FOLDER);
  const file = below(folder, reportName(report.since));
  await makeFolder(folder);
  await replaceFile(file, page);
  await removeAbandoned(folder, parts.clock.now());
  return pathOf(file);
}
