import { messageFor } from '../../contract/messages/message-for.ts';
import type { Text } from '../../contract/messages/message.ts';
import { saySentences } from '../../contract/messages/words.ts';
import { createORPCClient, ORPCError } from '@orpc/client';
import { RPCLink } from '@orpc/client/fetch';
import type { ContractRouterClient } from '@orpc/contract';
import { BRIDGE_NAME, type DesktopBridge } from '../../contract/bridge.ts';
import { Refused } from '../../contract/failure.ts';
import type { Contract } from '../../contract/procedures.ts';
import { NotOurHostError, passHeaders, requireProof } from '../web/pass.ts';
import { EngineGoneError, linkOverPorts } from './port-link.ts';

/** The abilities of the desktop app that a browser lacks; null in a browser. */
export const bridge: DesktopBridge<File> | null =
  (window as Window & { readonly [BRIDGE_NAME]?: DesktopBridge<File> })[BRIDGE_NAME] ?? null;

/** What requests that change something carry besides: in a browser, the pass of this window. */
export const callHeaders = (): Promise<Record<string, string>> => (bridge ? Promise.resolve({}) : passHeaders());

/** The engine, as this window reaches it: the only way out of the renderer besides media by URL. */
export const api: ContractRouterClient<Contract> = createORPCClient(
  bridge
    ? linkOverPorts(window, location.origin)
    : new RPCLink({
        url: `${location.origin}/rpc`,
        headers: callHeaders,
        fetch: (request, init) =>
          fetch(request, init).catch((error: unknown) => {
            // A failed fetch is a lost connection.
            if (error instanceof TypeError) requireProof();
            throw error;
          }),
      }),
);

bridge?.connect();

export interface Trouble {
  readonly message: Text;
  readonly remedy: Text;
  readonly code?: string;
}

export function toTrouble(error: unknown): Trouble {
  if (error instanceof ORPCError) {
    const told = Refused.safeParse(error.data);
    if (told.success) return { message: told.data.text, remedy: told.data.remedy, code: told.data.code };
    const isOurs = error.code === 'INTERNAL_SERVER_ERROR';
    return { message: isOurs ? messageFor('window.internalError') : error.message, remedy: '' };
  }
  if (error instanceof EngineGoneError) {
    return { message: messageFor('window.noAnswer'), remedy: messageFor('window.noAnswerApp') };
  }
  if (error instanceof TypeError) {
    return { message: messageFor('window.noAnswer'), remedy: messageFor('window.noAnswerBrowser') };
  }
  return { message: error instanceof Error ? error.message : String(error), remedy: '' };
}

/**
 * No answer came, or one about something else: the engine does not know this window any more. Trying again may help.
 */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof TypeError ||
  error instanceof EngineGoneError ||
  error instanceof NotOurHostError ||
  (error instanceof ORPCError && error.status === 401);

export function sayTrouble(error: unknown): string {
  const { message, remedy } = toTrouble(error);
  return saySentences(message, remedy);
}

export const mediaUrl = (takeId: string, output: number): string => `/media/${encodeURIComponent(takeId)}/${output}`;

/** A small picture of a frame of a film, named as a reference does: `last`, `48f`. */
export const frameUrl = (takeId: string, output: number, frame: string): string =>
  `/frame/${encodeURIComponent(takeId)}/${output}/${encodeURIComponent(frame)}`;

export const thumbUrl = (takeId: string, output: number, width: 320 | 640): string =>
  `/thumb/${encodeURIComponent(takeId)}/${output}?w=${width}`;
