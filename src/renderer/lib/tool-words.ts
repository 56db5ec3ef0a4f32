import { say } from '../../contract/messages/words.ts';
import type { Cost } from '../../contract/failure.ts';

/** What the button says that makes a call once more after it failed: what that may cost, where it may. */
export const againInWords: Readonly<Record<Cost, string>> = {
  nothing: say('common.tryAgain'),
  maybe: say('common.sendAgainMaybe'),
  charged: say('common.sendAgainCharged'),
};

/** Models whose names say that they compare texts come first. */
export const embeddingFirst = (ids: readonly string[]): readonly string[] =>
  ids.toSorted((a, b) => Number(/embed/i.test(b)) - Number(/embed/i.test(a)));
