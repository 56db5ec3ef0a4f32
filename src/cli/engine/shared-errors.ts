import type { Text } from '../../contract/messages/message.ts';
import type { Refused } from '../../contract/refusals.ts';
import { say } from '../../contract/messages/words.ts';
import { DailiesError } from '../../engine/base/errors.ts';
import type { Holder } from '../../engine/base/instance-lock.ts';
import { plainText } from '../output/text.ts';

/** The engine of another process went away, or never answered: the request may or may not have been done. */
export class EngineGoneError extends DailiesError {
  readonly code = 'engine_gone';
  readonly remedy = say('cli.engineGoneRemedy');

  constructor(holder: Holder, options?: ErrorOptions) {
    super(say('cli.engineGone', { other: inWords(holder) }), options);
  }
}

/** A refusal by an engine of another process, in its words. */
export class SharedRefusal extends DailiesError {
  readonly code: string;
  readonly remedy: Text;
  readonly service: Refused['service'];

  constructor({ code, text, remedy, service }: Refused) {
    super(text);
    this.code = code;
    this.remedy = remedy;
    this.service = service;
  }
}

/** `process 4711 (dailies serve)`. */
export const inWords = ({ pid, command }: Holder): string =>
  say('common.process', { pid: String(pid), command: plainText(command) });
