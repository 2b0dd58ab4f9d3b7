"""Statistics: pure functions, arrays in, small frozen records out.

One convention holds everywhere:

- A wrong call raises ``ValueError`` with a sentence: lengths that differ, a confidence outside 0 to 1, a value that is
  not a number, more successes than trials.
- Data from which a number does not follow never raise. One model, one domain, all pass, all fail, two questions, an
  unbalanced design or an empty experiment return a record in which that number is ``None`` and ``reason`` a sentence.
  ``reason`` is ``None`` exactly where no number of the record itself is ``None``; a record inside a record has its own.
- A package that is not installed raises ``MissingPackage``, an ``ImportError`` with the line that installs it.

Values are sequences or numpy arrays with one entry for each scored sample. Questions, models and domains are label
sequences of the same length. Unscored samples are left out by the caller and counted in ``rates.delivery_rates``.
Random procedures take ``seed`` and return the same numbers for the same seed. ``wilson``, ``jeffreys`` and
``beta_binomial`` return plain pairs, since an interval always exists: with nothing observed it is 0 to 1.
"""
