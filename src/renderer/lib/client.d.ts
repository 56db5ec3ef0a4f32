import type { Text } from '../../contract/messages/message.ts';
import type { ContractRouterClient } from '@orpc/contract';
import { type DesktopBridge } from '../../contract/bridge.ts';
import type { Contract } from '../../contract/procedures.ts';
/** The abilities of the desktop app that a browser lacks; null in a browser. */
export declare const bridge: DesktopBridge<File> | null;
/** What requests that change something carry besides: in a browser, the pass of this window. */
export declare const callHeaders: () => Promise<Record<string, string>>;
/** The engine, as this window reaches it: the only way out of the renderer besides media by URL. */
export declare const api: ContractRouterClient<Contract>;
/** A failure for people: what happened, and what to do next if we know. The code decides which button helps. */
export interface Trouble {
    readonly message: Text;
    readonly remedy: Text;
    readonly code?: string;
}
export declare function troubleOf(error: unknown): Trouble;
/** No answer came: the state is unknown, and trying again may help. */
export declare const isUnanswered: (error: unknown) => boolean;
/** A failure as sentences for people, where there is no room for a button. */
export declare function sayTrouble(error: unknown): string;
/** URL of one output of a take. */
export declare const mediaUrl: (takeId: string, output: number) => string;
/** URL of its still picture, at most `width` pixels wide. */
export declare const thumbUrl: (takeId: string, output: number, width: 320 | 640) => string;
