import { messageFor, type Text } from '../../contract/messages/message.ts';
import { DailiesError } from '../../engine/base/errors.ts';

/** A message that did not arrive. Never holds an address or a secret. */
export class DeliveryError extends DailiesError {
  readonly code = 'message_not_sent';
  readonly remedy: Text;
  /** Whether the same message may arrive a little later. */
  readonly mayPass: boolean;

  constructor(text: Text, { mayPass, remedy = '' }: { readonly mayPass: boolean; readonly remedy?: Text }) {
    super(text);
    this.mayPass = mayPass;
    this.remedy = remedy;
  }
}

export const channelOff = (): DeliveryError =>
  new DeliveryError(messageFor('failure.messageChannelOff'), {
    mayPass: false,
    remedy: messageFor('remedy.messageChannelOff'),
  });
