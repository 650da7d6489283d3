import { AnyMap, decodedMappings, type SourceMapInput, type TraceMap } from '@jridgewell/trace-mapping';
import { malformed } from '../errors.ts';
import type { CountAt } from './count-offsets.ts';
import type { TextIndex } from './index-text.ts';

/** One place of an original source that generated code comes from, and whether that code was executed. */
export interface MappedPlace {
  readonly line: number;
  readonly column: number;
  readonly executed: boolean;
}

export interface MappedSource {
  /** As the map names it, resolved against where the script is. */
  readonly source: string;
  readonly text: string | undefined;
  /** Places that some range counts, in the order of the generated code. */
  readonly places: MappedPlace[];
}

/** The places of each original source, through a source map. Throws `malformed_coverage`. */
export function mapSources(map: unknown, url: string, generated: TextIndex, countAt: CountAt): MappedSource[] {
  const traced = openMap(map, url);
  const sources = new Map<number, MappedSource>();
  for (const [line, segments] of decodedMappings(traced).entries()) {
    const start = generated.lineStarts[line];
    if (start === undefined) break;
    for (const [column, index, originalLine, originalColumn] of segments) {
      const count = countAt(start + column);
      if (index === undefined || originalLine === undefined || originalColumn === undefined || count === undefined)
        continue;
      const held = sources.get(index) ?? openSource(traced, index);
      if (held === undefined) continue;
      sources.set(index, held);
      held.places.push({ line: originalLine + 1, column: originalColumn, executed: count > 0 });
    }
  }
  return [...sources.values()];
}

function openMap(map: unknown, url: string): TraceMap {
  try {
    return new AnyMap(map as SourceMapInput, url);
  } catch (cause) {
    throw malformed('v8', `the source map of ${url} is none`, {}, cause);
  }
}

function openSource({ sources, resolvedSources, sourcesContent }: TraceMap, index: number): MappedSource | undefined {
  if (sources[index] === null || sources[index] === undefined) return undefined;
  return { source: resolvedSources[index] ?? '', text: sourcesContent?.[index] ?? undefined, places: [] };
}
