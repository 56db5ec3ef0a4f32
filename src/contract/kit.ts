import * as z from 'zod';

/** What a kit can have besides its media, lists and pages. `otioz`: OTIO with the media in one file. */
export const KitFormat = z.enum(['otio', 'otioz', 'fcpxml', 'xmeml', 'edl', 'ale']);
export type KitFormat = z.infer<typeof KitFormat>;

/** All but the one that doubles the media. */
export const USUAL_FORMATS: readonly KitFormat[] = KitFormat.options.filter((format) => format !== 'otioz');

export const KitOptions = z.object({
  formats: z.array(KitFormat).default([...USUAL_FORMATS]),
  /** Names of files in ASCII, for programs and disks that read no others. */
  ascii: z.boolean().default(false),
  /** Links to the files of the project in place of copies. */
  link: z.boolean().default(false),
});
export type KitOptions = z.infer<typeof KitOptions>;
