import type { ListOptions } from './read-list.ts';

export interface RunOptions extends ListOptions {
  readonly project: string;
  readonly batch?: string;
  readonly again?: boolean;
  /** Files outside, and folders of such, that are agreed to. */
  readonly allowFile?: readonly string[];
  readonly dryRun?: boolean;
  readonly offline?: boolean;
  readonly json?: boolean;
}
