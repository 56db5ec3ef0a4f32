import { ErrorWithText } from '../base/errors.ts';
import { messageFor } from '../../contract/messages/message.ts';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { buildConnector } from 'undici';

/**
 * Watches one POST and knows whether a byte of it may have been sent. It counts as not sent only if two sources agree:
 * undici's diagnostics channel, which reports a request before its first byte is written, and the connector, because
 * nothing can be written without a connection.
 */
export interface SendTracker {
  /** False only when not one byte was written. */
  readonly maySent: boolean;
  /** Opens the connection. Pass it to the client that makes the POST. */
  readonly connect: buildConnector.connector;
  stop(): void;
}

const SEND_HEADERS = 'undici:client:sendHeaders';

/**
 * @param body the very object that undici receives as the request's body. undici keeps Buffers and streams (it copies
 * strings), so identity marks the request; a header would be sent to the service.
 * @param onConnected called when the connection is established, just before the request is written.
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
      // One POST, one connection: a second connection after the request was sent could only send it again.
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
