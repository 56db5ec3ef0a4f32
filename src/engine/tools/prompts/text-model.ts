import { textSpec } from '../../../contract/kinds/text.ts';
import type { Settings } from '../../../contract/settings.ts';
import type { PlannedRequest } from '../../../contract/take.ts';
import { driverOf, readAnswer } from '../../kinds/index.ts';
import type { ModelAsk } from './ask.ts';

/** How to ask a text model. Pure: `ToolRunner` sends the request. */
export interface TextModel {
  request(model: string, ask: ModelAsk): PlannedRequest;
  /** The texts of an answer, the most likely first; empty if there are none. */
  texts(answer: Buffer): string[];
}

/** Uses the kind `text` with its chat endpoint. */
export function textModel(settings: () => Settings): TextModel {
  const driver = driverOf(textSpec.kind);
  const nothingElse = { key: 'tool', takes: 1, extra: {}, columns: {}, priority: 0 };
  return {
    request: (model, { system, prompt }) =>
      driver.toRequest(
        { ...nothingElse, kind: textSpec.kind, model, prompt, params: { system } },
        { settings: settings(), listFolder: '/', assets: new Map(), entryIsMissing: false },
      ),
    texts(answer) {
      const parts = readAnswer({ kind: textSpec.kind, params: {} }, answer);
      return parts.flatMap((part) => ('content' in part ? [part.content().toString('utf8')] : []));
    },
  };
}
