import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'dailies-test-'));
const remove = (folder: string): void => rmSync(folder, { recursive: true, force: true });

/** An empty folder that goes away with the test. */
export function folderOfTest(): string {
  const folder = newFolder();
  onTestFinished(() => remove(folder));
  return folder;
}

/** The same for all tests of a suite. */
export function folderOfSuite(): string {
  const folder = newFolder();
  afterAll(() => remove(folder));
  return folder;
}
