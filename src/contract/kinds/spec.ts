import type { Medium } from '../formats.ts';
import type { Json } from '../json.ts';
import { messageFor, type PlainKey } from '../messages/message-for.ts';
import type { Text } from '../messages/message.ts';

export type MediaType = 'image' | 'video' | 'audio' | 'any';

interface ParameterBase {
  /** Our name for it: the canonical column header and the key in `ShotSpec.params`. */
  readonly name: string;
  readonly label: Text;
  readonly help: Text;
  /** Other headers that mean this column, in any language and before folding (see `foldHeader`). */
  readonly aliases: readonly string[];
  /** Field it is sent under, where that is none of its headers. */
  readonly sentAs?: string;
  /** Most lists say it once for all their rows. */
  readonly isUsual?: true;
}

/** One parameter of a kind: list column, check, CSV template and form field all come from this description. */
export type Parameter = ParameterBase &
  (
    | { readonly type: 'text' | 'long_text' }
    | {
        readonly type: 'integer' | 'number';
        readonly min?: number;
        readonly max?: number;
        /** Seconds. Shown as `common.unitSeconds`; a cell may name it. */
        readonly unit?: 's';
        /** Values outside the range that are allowed all the same, such as -1 for "automatic". */
        readonly special?: readonly number[];
      }
    | { readonly type: 'boolean' }
    /** `open` choices are suggestions: other text is accepted, because models differ. */
    | { readonly type: 'choice'; readonly choices: readonly string[]; readonly open?: true }
    /** `width:height`. Spreadsheets take 16:9 for a time of day and make 16:09 of it; that is read as 16:9. */
    | { readonly type: 'ratio'; readonly choices: readonly string[] }
    /** `WIDTHxHEIGHT` in pixels. */
    | { readonly type: 'pixels' }
    /** Several texts, split on `;` or `|`. */
    | { readonly type: 'text_list' }
    /**
     * The id of a task of the service, or `Shot://KEY`: the task of that shot's take, which is of the same kind. `at` is
     * the column that says where in it to continue, in seconds, where it is continued.
     */
    | { readonly type: 'task'; readonly at?: string }
    /** A URL, `Asset://id` or a local path relative to the shot list. */
    | {
        readonly type: 'media';
        readonly media: MediaType;
        /** Purpose of its uploads (reference, "Assets and groups"); a take that makes such an asset can be named too. */
        readonly purpose?: string;
      }
    /** Several of them, split on `;` or `|`. */
    | { readonly type: 'media_list'; readonly media: MediaType }
    /** A JSON value; the rules of the kind have its schema. `example` is shown where a cell holds no JSON. */
    | { readonly type: 'json'; readonly example: string }
  );

export type ParameterType = Parameter['type'];

type Details<Each> = Each extends Parameter ? Omit<Each, 'name' | 'label' | 'help' | 'aliases'> : never;

type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;
/** The key of one of its texts, which may be left out where the deck has one under the name of the column. */
type OwnText<Field extends string, Own extends string> = Own extends PlainKey
  ? { readonly [Each in Field]?: PlainKey }
  : { readonly [Each in Field]: PlainKey };
type Texts<Name extends string> = OwnText<'label', `column.${Camel<Name>}`> &
  OwnText<'help', `columnHelp.${Camel<Name>}`>;

export function column<Name extends string>(
  name: Name,
  aliases: readonly string[],
  details: Texts<Name> & Details<Parameter>,
): Parameter & { readonly name: Name } {
  const own = name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  const { label = `column.${own}` as PlainKey, help = `columnHelp.${own}` as PlainKey, ...others } = details;
  return { ...others, name, aliases, label: messageFor(label), help: messageFor(help) } as Parameter & {
    readonly name: Name;
  };
}

/** `required`: by the reference. `usual`: no other column says what to make. `optional`: something else does. */
export type PromptNeed = 'required' | 'usual' | 'optional';

export interface PathSetting {
  readonly name: string;
  /** What this setting's requests do, in the imperative: `Send music`. */
  readonly label: Text;
  /** Empty where nothing can be assumed: then a list of this kind has a defect until the path is set. */
  readonly default: string;
  /** A placeholder that the path must contain, such as `{task_id}`. */
  readonly holds?: string;
  /** Whether a row with these parameters needs it; every row when absent. */
  readonly neededBy?: (params: Params) => boolean;
}

/** The shapes of an icon on a ground of 24 by 24, as the files of Lucide have them. */
type Icon = [shape: 'path' | 'circle' | 'rect', attributes: Record<string, string>][];

export type Params = Readonly<Record<string, Json>>;

export type FileMedium = Exclude<MediaType, 'any'>;

/**
 * Everything the product knows about one kind before any engine code runs. Plain data, without the schemas of the
 * contract: the command line reads it before it knows its command.
 */
export interface KindSpec<Name extends string = string> {
  readonly kind: Name;
  readonly label: Text;
  readonly icon: Icon;
  /** Other words a `kind` cell may use for it, in any language and before folding. */
  readonly words: readonly string[];
  /** How the ids of models begin that certainly make it. */
  readonly modelPrefix?: string;
  /** Words in the id of a model that suggest it. Weak: a `kind` cell and the batch's own kind go before them. */
  readonly modelWords: readonly string[];
  /**
   * What makes a row that needs no model: a name for prices and filters, never sent, or the model that is `written`
   * where one may be sent all the same. Null for a row that needs one.
   */
  readonly ownModel?: (params: Params, written: string) => string | null;
  readonly parameters: readonly Parameter[];
  /** Parameters that a form shows at once, in this order: three settings at most, and media. The others wait under “More”. */
  readonly atHand: readonly string[];
  /**
   * The column that a file fills when it becomes a row of this kind; `last` for the second file of a pair. `isUsual`:
   * files of this medium become rows of this kind unless a person chooses another.
   */
  readonly fromMedia?: Readonly<
    Partial<Record<FileMedium, { readonly column: string; readonly last?: string; readonly isUsual?: true }>>
  >;
  readonly promptAliases?: readonly string[];
  readonly fieldsWithoutColumn: readonly string[];
  /** Field of a request that names an address the service reports to; undefined where there is none. */
  readonly callbackField?: (params: Params) => string | undefined;
  readonly medium: Medium;
  readonly mediumOf?: (params: Params) => Medium;
  /** Its takes go below the pictures of a cut, and are no clips of their own. */
  readonly isBelowPictures?: true;
  /** Purpose of the asset that a take makes, where it makes one. */
  readonly assetOf?: (params: Params) => string | undefined;
  /** What an empty prompt means in a row with these parameters. */
  readonly prompt: (params: Params) => PromptNeed;
  readonly paths: readonly PathSetting[];
  /**
   * How a take is made by a button of a finished one: `task` is the column of that one's task, `button` that of the
   * button, `cells` are all others than `task`. `fromWords` makes one of its prompt alone instead.
   */
  readonly press?: {
    readonly task: string;
    readonly button: string;
    readonly cells: (customId: string) => Record<string, string>;
    readonly fromWords: Readonly<Record<string, string>>;
  };
  /** Files that a take brings, for prices by the file; one when absent. */
  readonly outputs?: (params: Params) => number;
  /** Length that a take asks for, for prices by the second; null where the model decides. */
  readonly seconds?: (params: Params) => number | null;
}
