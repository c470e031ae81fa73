declare const expect: typeof import("chai").expect;
