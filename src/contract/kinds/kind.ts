import * as z from 'zod';
import type { Medium } from '../formats.ts';
import type { Json } from '../json.ts';

/** What a shot asks for. A new kind is added here, in its own spec, in its driver and in the two indexes. */
export const Kind = z.enum(['video', 'image', 'music']);
export type Kind = z.infer<typeof Kind>;

export const MediaType = z.enum(['image', 'video', 'audio']);
export type MediaType = z.infer<typeof MediaType>;

interface ParameterBase {
  /** Our name for it: the canonical column header and the key in `ShotSpec.params`. */
  readonly name: string;
  readonly label: string;
  /** One sentence for the form and for error remedies. */
  readonly help: string;
  /** Other headers that mean this column, before folding (see `foldHeader`). */
  readonly aliases: readonly string[];
  /** Most lists say it once for all their rows. */
  readonly isUsual?: true;
}

/**
 * One parameter of a kind. The list column, the check of its cell, the CSV template and later the form field
 * all come from this description, so that a parameter is described once.
 */
export type Parameter = ParameterBase &
  (
    | { readonly type: 'text' | 'long_text' }
    | {
        readonly type: 'integer' | 'number';
        readonly min?: number;
        readonly max?: number;
        readonly unit?: string;
        /** Values outside the range that are allowed all the same, such as -1 for "automatic". */
        readonly special?: readonly number[];
      }
    | { readonly type: 'boolean' }
    /** `open` choices are suggestions: other text is accepted, because models differ. */
    | { readonly type: 'choice'; readonly choices: readonly string[]; readonly open: boolean }
    /** `width:height`. Spreadsheets take 16:9 for a time of day and make 16:09 of it; that is read as 16:9. */
    | { readonly type: 'ratio'; readonly choices: readonly string[] }
    /** `WIDTHxHEIGHT` in pixels. */
    | { readonly type: 'pixels' }
    /** Several texts, split on `;` or `|`. */
    | { readonly type: 'text_list' }
    /** A URL, `Asset://id` or a local path relative to the shot list. */
    | { readonly type: 'media'; readonly media: MediaType }
    /** Several of them, split on `;` or `|`. */
    | { readonly type: 'media_list'; readonly media: MediaType }
    /** A JSON value, checked by `schema`. */
    | { readonly type: 'json'; readonly schema: z.ZodType<Json> }
  );

export type ParameterType = Parameter['type'];

/**
 * `required`: the reference demands a prompt. `usual`: no named column of the row says what to make besides.
 * `optional`: something else does.
 */
export type PromptNeed = 'required' | 'usual' | 'optional';

/** Everything the product knows about one kind before any engine code runs. */
export interface KindSpec {
  readonly kind: Kind;
  readonly label: string;
  /** Other words a `kind` cell may use for it, before folding. */
  readonly words: readonly string[];
  readonly parameters: readonly Parameter[];
  /** What a take of it should be. */
  readonly medium: Medium;
  /** What an empty prompt means in a row with these parameters. */
  readonly prompt: (params: Readonly<Record<string, Json>>) => PromptNeed;
}
