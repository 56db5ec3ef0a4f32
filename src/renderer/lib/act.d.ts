import { type CommandInput, type ToldName, type DoneBy } from '../../contract/commands/index.ts';
import { type Reverse } from './undo.svelte.ts';
interface Saying<Each> {
    /** Without a word, for a change that is seen at once and made many times. */
    readonly quietly?: boolean;
    /** What was done in the words of the view, in place of those of the history. */
    readonly words?: (all: readonly Each[]) => string | Promise<string>;
    /** Called after each call with how many were made. */
    readonly progress?: (calls: number) => void;
}
/**
 * Runs a command and offers to undo it. Resolves with null where there was nothing to change. Throws the engine's
 * refusal.
 */
export declare function act<Name extends ToldName>(name: Name, input: CommandInput<Name>, saying?: Saying<DoneBy<Name>>): Promise<DoneBy<Name> | null>;
/** Runs a command several times, as one change to undo. Ends at the first call that is refused. */
export declare function actEach<Name extends ToldName>(name: Name, inputs: Iterable<CommandInput<Name>>, { quietly, words, progress }?: Saying<DoneBy<Name>>): Promise<readonly DoneBy<Name>[]>;
/** What takes back a command by its token is a command itself, whose token does it again. */
export declare function reversal(tokens: readonly string[]): Reverse;
export {};
