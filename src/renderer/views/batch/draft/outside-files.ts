import type { OutsideFile } from '../../../../contract/batch.ts';

/** Whether a person has agreed to send every one of these files. */
export const isAllAgreed = (files: readonly OutsideFile[], agreed: readonly string[]): boolean =>
  files.every(({ path }) => agreed.includes(path));
