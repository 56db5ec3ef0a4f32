import { Settings } from '../../../src/contract/settings.ts';
import type { ShotSpec } from '../../../src/contract/shot.ts';
import type { RequestContext } from '../../../src/engine/kinds/driver.ts';

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
