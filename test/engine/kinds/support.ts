import type { Json } from '../../../src/contract/json.ts';
import type { Kind } from '../../../src/contract/kinds/kind.ts';
import { Settings } from '../../../src/contract/settings.ts';
import type { ShotSpec } from '../../../src/contract/shot.ts';
import type { Finding, RequestContext } from '../../../src/engine/kinds/rules.ts';
import { readResultOf, rulesFor } from '../../../src/engine/kinds/index.ts';

export function shotOf(given: Partial<ShotSpec> & Pick<ShotSpec, 'kind'>): ShotSpec {
  return { key: '001', model: 'm', prompt: 'p', takes: 1, params: {}, extra: {}, columns: {}, priority: 0, ...given };
}

export function contextOf(given: Partial<RequestContext> = {}, settings: object = {}): RequestContext {
  return {
    settings: Settings.parse(settings),
    listFolder: '/lists',
    assets: new Map(),
    entryIsMissing: false,
    ...given,
  };
}

/** What the rules of its kind find wrong with a shot. */
export const findingsOf = (shot: ShotSpec, settings = contextOf().settings): Finding[] =>
  rulesFor(shot.kind).check(shot, { line: null, media: [], settings, aliases: new Set() });

/** The addresses of the results in an answer; of one that is inside the answer, its content. */
export const resultsRead = (kind: Kind, answer: Json, sent?: ReadonlySet<string>): string[] =>
  readResultOf({ kind, params: {} }, answer, sent).map((part) =>
    'url' in part ? part.url : `content ${part.content().toString('latin1')}`,
  );
