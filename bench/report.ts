import { readFileSync, writeFileSync } from 'node:fs';
import { arch, availableParallelism, cpus, platform, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Finding } from './finding.ts';

const PAGE = join(import.meta.dirname, '..', 'docs', 'reference', 'performance.md');
const BEGIN = '<!-- figures: begin (written by npm run bench) -->';
const END = '<!-- figures: end -->';

/** A row with its lines of the table. */
export interface MeasuredRow {
  readonly name: string;
  readonly seconds: number;
  readonly findings: readonly Finding[];
}

/** The machine, the table, and how long each row took. */
export function inMarkdown(rows: readonly MeasuredRow[]): string {
  const seconds = rows.map(({ name, seconds }) => `${name} ${seconds}`).join(', ');
  const total = rows.reduce((sum, row) => sum + row.seconds, 0);
  return `${machineFacts()}\n\n${tableOf(rows)}\n\nSeconds that the rows took, ${total} in all: ${seconds}.`;
}

/** The machine and what ran on it, in one sentence. */
function machineFacts(): string {
  const { node, v8 } = process.versions;
  const memory = Math.round(totalmem() / 1000 ** 3);
  const processor = cpus()[0]?.model.trim() ?? 'unknown processor';
  const day = new Date().toISOString().slice(0, 10);
  return `Measured on ${day}: ${availableParallelism()} cores (${processor}), ${memory} GB, ${platform()} ${arch()}, Node ${node} (V8 ${v8}).`;
}

/** A Markdown table, columns aligned so that it can be read as text too. */
function tableOf(measured: readonly MeasuredRow[]): string {
  const header = ['row', '', 'ours', 'peer', 'ratio: median (min to max)', 'goal', 'met'];
  const rows = [header, ...measured.flatMap(({ name, findings }) => findings.map((each) => [name, ...cellsOf(each)]))];
  const widths = header.map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = line(widths.map((width) => '-'.repeat(width)));
  return [line(rows[0] ?? []), rule, ...rows.slice(1).map(line)].join('\n');
}

function cellsOf({ what, ours, peer, ratio, goal, met }: Finding): string[] {
  const spread =
    ratio === null ? '' : `${ratio.median.toFixed(2)} (${ratio.min.toFixed(2)} to ${ratio.max.toFixed(2)})`;
  return [what, ours, peer, spread, goal, met === null ? '' : met ? 'yes' : '**no**'];
}

/** Puts the findings between the two markers of docs/reference/performance.md; the rest of the page is for people to write. */
export function writeReport(rows: readonly MeasuredRow[]): void {
  const page = readFileSync(PAGE, 'utf8');
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin)
    throw new Error('docs/reference/performance.md has lost the two markers around its figures.');
  const figures = `${BEGIN}\n\n${inMarkdown(rows)}\n\n`;
  writeFileSync(PAGE, page.slice(0, begin) + figures + page.slice(end));
}
