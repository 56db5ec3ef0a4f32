import { ViewName, type Place } from '../../../contract/place.ts';
/** Where the window is. Kept in the address, so that reload, back and forward work. */
declare class Navigation {
    #private;
    place: {
        view: "batch" | "library" | "projects" | "queue" | "research" | "review" | "settings" | "spending";
        projectId: string | null;
        detail: Record<string, string>;
    };
    constructor();
    /** The state of a view of a project when it was last shown. */
    leftAt(view: ViewName, projectId: string | null): Place['detail'];
    /** Goes to a view; the project stays unless another is named. */
    go(view: ViewName, options?: {
        projectId?: string | null;
        detail?: Place['detail'];
    }): void;
    /** Changes the view's state without a new step in the history. */
    remember(detail: Place['detail']): void;
    /** Goes to a place without a new step in the history. */
    replace(place: Place): void;
    /** Changes the view's state as a step that "back" undoes. */
    stepInto(detail: Place['detail']): void;
    /** Undoes such a step; where the history has none, as after a jump, only changes the place. */
    stepOut(detail: Place['detail']): void;
}
export declare const navigation: Navigation;
export {};
