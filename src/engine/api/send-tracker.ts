import { ErrorWithText } from '../base/errors.ts';
import { messageFor } from '../../contract/messages/message.ts';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { buildConnector } from 'undici';

/**
 * Watches one POST and knows whether a byte of it can have left. Two witnesses are asked, and both have to say no:
 * undici's diagnostics channel, which speaks before the first byte of a request is written, and the connector, since
 * without a connection there is nothing to write to. In doubt it was sent.
 */
export interface SendTracker {
  /** False only when not one byte was written. */
  readonly maySent: boolean;
  /** Opens the connection; given to the client that makes the POST. */
  readonly connect: buildConnector.connector;
  stop(): void;
}

const SEND_HEADERS = 'undici:client:sendHeaders';

/**
 * @param body the very object given to undici as the request's body. undici keeps Buffers and streams as they are
 *   (it copies strings), so identity names the request; a header would travel to the service.
 * @param onConnected called when the connection stands, just before the request is written to it.
 */
export function trackSend(body: object, connector: buildConnector.connector, onConnected: () => void): SendTracker {
  let announced = false;
  let connected = false;

  const onSendHeaders = (message: unknown): void => {
    if (bodyOf(message) === body) announced = true;
  };
  subscribe(SEND_HEADERS, onSendHeaders);

  return {
    get maySent() {
      return announced || connected;
    },
    connect: (options, callback) => {
      // One POST, one connection: asking for another after the request left could only mean sending it again.
      if (announced) {
        callback(new ErrorWithText(messageFor('failure.connectionLost')), null);
        return;
      }
      connector(options, (...result) => {
        if (result[0] === null) {
          connected = true;
          onConnected();
        }
        callback(...result);
      });
    },
    stop: () => {
      unsubscribe(SEND_HEADERS, onSendHeaders);
    },
  };
}

function bodyOf(message: unknown): unknown {
  if (typeof message !== 'object' || message === null || !('request' in message)) return undefined;
  const { request } = message;
  return typeof request === 'object' && request !== null && 'body' in request ? request.body : undefined;
}
