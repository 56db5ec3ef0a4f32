import { readFileSync, writeFileSync } from 'node:fs';
import { arch, availableParallelism, cpus, platform, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Finding } from './finding.ts';

const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'performance.md');
const BEGIN = '<!-- figures: begin (written by npm run bench) -->';
const END = '<!-- figures: end -->';

/** The machine and what ran on it, in one sentence. */
export function machineFacts(): string {
  const { node, v8 } = process.versions;
  const memory = Math.round(totalmem() / 1024 ** 3);
  const processor = cpus()[0]?.model.trim() ?? 'unknown processor';
  const day = new Date().toISOString().slice(0, 10);
  return `Measured on ${day}: ${availableParallelism()} cores (${processor}), ${memory} GB, ${platform()} ${arch()}, Node ${node} (V8 ${v8}).`;
}

/** The findings as a Markdown table, columns aligned so that it can be read as text too. */
export function tableOf(findings: readonly Finding[]): string {
  const header = ['', 'ours', 'peer', 'ratio: median (min to max)', 'goal', 'met'];
  const rows = [header, ...findings.map(cellsOf)];
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

/** Puts the findings between the two markers of docs/performance.md; the rest of the page is for people to write. */
export function writeReport(findings: readonly Finding[]): void {
  const page = readFileSync(PAGE, 'utf8');
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin) throw new Error('docs/performance.md has lost the two markers around its figures.');
  const figures = `${BEGIN}\n\n${machineFacts()}\n\n${tableOf(findings)}\n\n`;
  writeFileSync(PAGE, page.slice(0, begin) + figures + page.slice(end));
}
