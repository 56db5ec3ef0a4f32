import { messageFor } from '../../contract/messages/message.ts';
import { DailiesError, textOf } from '../../engine/base/errors.ts';
import type { Services } from '../services.ts';
import type { Implementer } from './implementer.ts';

export function messagesRouter(os: Implementer, { messages }: Services) {
  return {
    secrets: os.messages.secrets.handler(() => messages.secrets()),
    storeSecret: os.messages.storeSecret.handler(({ input }) => messages.storeSecret(input.channel, input.secret)),
    test: os.messages.test.handler(async ({ input }) => {
      try {
        await messages.test(input.channel);
        return { ok: true, message: messageFor('message.testSent'), remedy: '' };
      } catch (error) {
        const remedy = error instanceof DailiesError ? error.remedy : '';
        return { ok: false, message: textOf(error), remedy };
      }
    }),
  };
}
