import type { MediaType } from '../../contract/kinds/kind.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import type { Settings } from '../../contract/settings.ts';
import type { ModelLine } from '../models/index.ts';

export type ShotDraft = Pick<ShotSpec, 'model' | 'prompt' | 'params' | 'extra'>;

/** One medium a shot names. */
export interface MediaUse {
  /** Parameter it stands in. */
  readonly column: string;
  readonly media: MediaType;
  /** URL, `Asset://id` or local path, as written. */
  readonly cell: string;
  /** `address`: the request carries an address, so a local file must be uploaded first. `file`: it carries the file. */
  readonly sentAs: 'address' | 'file';
}

/** Settings that decide what may be sent. */
export type RuleSettings = Pick<Settings, 'videoRoute' | 'assumed'>;

export interface RuleContext {
  readonly line: ModelLine | null;
  readonly media: readonly MediaUse[];
  readonly settings: RuleSettings;
  /** Aliases that any row of the list gives to a reference. */
  readonly aliases: ReadonlySet<string>;
}

/** Something the service's rules forbid in a shot (or advise against), told by the column it concerns. */
export interface Finding {
  readonly severity: 'error' | 'warning';
  /** Parameter, shared column or `param.NAME`. */
  readonly column: string;
  readonly problem: string;
  readonly remedy: string;
}

/** The service's rules for one kind, over cells that are each valid by themselves. Pure: never looks at the disk. */
export interface KindRules {
  mediaOf(params: ShotSpec['params']): MediaUse[];
  check(shot: ShotDraft, context: RuleContext): Finding[];
}

export function error(column: string, problem: string, remedy: string): Finding {
  return { severity: 'error', column, problem, remedy };
}

export function warning(column: string, problem: string, remedy: string): Finding {
  return { severity: 'warning', column, problem, remedy };
}
