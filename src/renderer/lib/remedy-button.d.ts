import { remedyAction } from '../../contract/remedies.ts';
interface RemedyButton {
    readonly label: string;
    readonly run: () => void;
}
/** The button for a failure's remedy; null when none helps, or the person is there already. */
export declare function remedyButton(told: Parameters<typeof remedyAction>[0]): RemedyButton | null;
export {};
