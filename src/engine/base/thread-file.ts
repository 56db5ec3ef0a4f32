/** The file of a thread, or of a process that reads: beside the source that starts it, or in the build beside the entry files of the hosts. */
export function threadFile(name: string, startedBy: string): URL {
  return startedBy.endsWith('.ts')
    ? new URL(`./${name}.ts`, startedBy)
    : new URL(startedBy.replace(/(?:\/chunks)?\/[^/]+$/, `/${name}.js`));
}
