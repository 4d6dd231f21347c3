"""Names that are bound without a program's doing: by the language, browsers, Node and its kin, test runners."""

from __future__ import annotations

from typing import Final

_TEXT: Final = """
AbortController AbortSignal AggregateError Array ArrayBuffer Atomics BigInt BigInt64Array BigUint64Array Blob
Boolean BroadcastChannel Buffer CustomEvent DOMException DOMParser DataView Date Document DocumentFragment
Element Error EvalError Event EventSource EventTarget File FileList FileReader FinalizationRegistry Float32Array
Float64Array FormData Function HTMLElement Headers Image Infinity Int16Array Int32Array Int8Array Intl
IntersectionObserver Iterator JSON Map Math MediaQueryList MessageChannel MessageEvent MessagePort
MutationObserver NaN Node NodeList Notification Number Object Path2D Performance PerformanceObserver Promise
Proxy RangeError ReadableStream ReferenceError Reflect RegExp Request ResizeObserver Response Set
SharedArrayBuffer SharedWorker Storage String Symbol SyntaxError TextDecoder TextEncoder TransformStream
TypeError URIError URL URLSearchParams Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef
WeakSet WebAssembly WebSocket Window Worker WritableStream XMLHttpRequest __dirname __filename alert arguments
atob btoa cancelAnimationFrame clearImmediate clearInterval clearTimeout confirm console crypto customElements
decodeURI decodeURIComponent document encodeURI encodeURIComponent escape eval exports fetch getComputedStyle
global globalThis history indexedDB isFinite isNaN localStorage location matchMedia module navigator parseFloat
parseInt performance postMessage process prompt queueMicrotask requestAnimationFrame requestIdleCallback require
self sessionStorage setImmediate setInterval setTimeout structuredClone undefined unescape window Bun Deno after
afterAll afterEach before beforeAll beforeEach context describe expect fdescribe fit it jasmine jest setup
specify suite suiteSetup suiteTeardown teardown test vi xdescribe xit Iterable AsyncIterable Record Partial
Readonly Pick Omit PromiseLike ReadonlyArray ReadonlyMap ReadonlySet
"""
NAMES: Final = frozenset(_TEXT.split())
