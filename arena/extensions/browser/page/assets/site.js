"use strict";
// Tables that can be sorted: report-sort.js comes after this.
const arena = {};
