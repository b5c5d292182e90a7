/* The usual course of one question to a bot in two calls: encode; then write, wait, read and
   recognise the plain answer.

Everything unusual is left to Python, which is given what was seen so far and continues from there.
``arena/referee/channel.py`` is the definition of both; a test compares them. The bytes of a question
are those of msgspec: values that this module does not know are encoded by msgspec itself. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#ifndef ARENA_SOURCE
#define ARENA_SOURCE "" /* digest of this file, by which a module of an earlier text is found out */
#endif
#define MILLISECOND 1000000LL
#define KNOWN 64      /* slots of the cache of enum members and floats */
#define KEPT_BITS 10  /* binary logarithm of the slots of the cache of tuples and frozen structs */
#define KEPT_LEAST 16 /* shortest and longest text of one that is kept */
#define KEPT_MOST 512
#define KEPT_HELD 2   /* references to a value that only this question holds */
#define INT_DIGITS 6  /* longer numbers are left to msgspec */

/* Given once by ``set_up``. */
static PyObject *encode;    /* bytes of a value, by msgspec */
static PyObject *make_plan; /* how to encode the instances of a struct type; None: by msgspec */
static PyObject *unset;
static PyObject *plans; /* dict: type -> capsule, or None */
static PyTypeObject *enum_meta, *struct_meta; /* types of the types that are known here */

/* ---- a growing text ---- */

typedef struct {
    char *text;
    size_t length, room;
    int varies; /* true if something was put that may change: it has to be encoded again */
} Line;

static int enlarge(Line *line, size_t more) {
    size_t wanted = 2 * (line->length + more) + 4096;
    char *larger = PyMem_Realloc(line->text, wanted);
    if (larger == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    line->text = larger;
    line->room = wanted;
    return 0;
}

static inline int reserve(Line *line, size_t more) {
    return line->length + more <= line->room ? 0 : enlarge(line, more);
}

static inline int put(Line *line, const char *text, size_t size) {
    if (reserve(line, size))
        return -1;
    memcpy(line->text + line->length, text, size);
    line->length += size;
    return 0;
}

static inline int put_one(Line *line, char one) {
    if (reserve(line, 1))
        return -1;
    line->text[line->length++] = one;
    return 0;
}

static inline int put_bytes(Line *line, PyObject *bytes) {
    return put(line, PyBytes_AS_STRING(bytes), (size_t)PyBytes_GET_SIZE(bytes));
}

/* ---- values ---- */

static PyObject *by_msgspec(PyObject *value) {
    PyObject *found = PyObject_CallOneArg(encode, value);
    if (found != NULL && !PyBytes_CheckExact(found)) {
        Py_DECREF(found);
        PyErr_SetString(PyExc_TypeError, "the encoder must return bytes");
        return NULL;
    }
    return found;
}

static int put_other(Line *line, PyObject *value) {
    PyObject *found = by_msgspec(value);
    if (found == NULL)
        return -1;
    line->varies = 1;
    int failed = put_bytes(line, found);
    Py_DECREF(found);
    return failed;
}

/* Values that do not change and come again, by identity: the cache owns them, so no address of one
   is used for another. */
static inline int put_known(Line *line, PyObject *value) {
    static struct {
        PyObject *value, *text;
    } known[KNOWN];
    size_t at = ((uintptr_t)value >> 4) % KNOWN;
    if (known[at].value != value) {
        PyObject *text = by_msgspec(value);
        if (text == NULL)
            return -1;
        char first = PyBytes_AS_STRING(text)[0];
        if (first == '[' || first == '{') { /* the value of an enum member may be a list that grows */
            line->varies = 1;
            int failed = put_bytes(line, text);
            Py_DECREF(text);
            return failed;
        }
        Py_XSETREF(known[at].text, text);
        Py_XSETREF(known[at].value, Py_NewRef(value));
    }
    return put_bytes(line, known[at].text);
}

#define EACH(byte) ((byte) * 0x0101010101010101ULL)

/* Return whether one of eight ASCII characters has to be escaped: below a blank, a quote or a
   backslash. The highest bit of a byte tells that a subtraction borrowed. */
static inline int must_escape(uint64_t eight) {
    uint64_t quotes = eight ^ EACH('"'), slashes = eight ^ EACH('\\');
    return (((eight - EACH(0x20)) | (quotes - EACH(1)) | (slashes - EACH(1))) & EACH(0x80)) != 0;
}

/* Whole words are checked and copied at once; the last one overlaps with the one before. Return 1 if
   a character has to be escaped; what was written does not count yet then. */
static inline int copy_plain(char *to, const Py_UCS1 *text, size_t size) {
    uint64_t eight;
    if (size >= 8) {
        for (size_t at = 0;; at = at + 16 <= size ? at + 8 : size - 8) {
            memcpy(&eight, text + at, 8);
            if (must_escape(eight))
                return 1;
            memcpy(to + at, &eight, 8);
            if (at + 8 == size)
                return 0;
        }
    }
    if (size >= 4) {
        uint32_t first, last;
        memcpy(&first, text, 4);
        memcpy(&last, text + size - 4, 4);
        if (must_escape(first | (uint64_t)last << 32))
            return 1;
        memcpy(to, &first, 4);
        memcpy(to + size - 4, &last, 4);
        return 0;
    }
    for (size_t at = 0; at < size; at++) {
        if (must_escape(text[at] | EACH('a') << 8))
            return 1;
        to[at] = (char)text[at];
    }
    return 0;
}

static int put_text(Line *line, PyObject *value) {
    if (!PyUnicode_IS_COMPACT_ASCII(value))
        return put_other(line, value);
    size_t size = (size_t)PyUnicode_GET_LENGTH(value);
    if (reserve(line, size + 2))
        return -1;
    char *to = line->text + line->length;
    if (copy_plain(to + 1, (const Py_UCS1 *)(((PyASCIIObject *)value) + 1), size))
        return put_other(line, value);
    to[0] = to[size + 1] = '"';
    line->length += size + 2;
    return 0;
}

static int put_int(Line *line, PyObject *value) {
    int overflow;
    long number = PyLong_AsLongAndOverflow(value, &overflow);
    if (overflow || number < 0 || number > 999999)
        return put_other(line, value);
    if (number < 10)
        return put_one(line, (char)('0' + number));
    char digits[INT_DIGITS];
    int at = INT_DIGITS;
    do
        digits[--at] = (char)('0' + number % 10);
    while (number /= 10);
    return put(line, digits + at, (size_t)(INT_DIGITS - at));
}

/* ---- structs ---- */

typedef struct {
    PyObject *key;      /* bytes: "name": */
    PyObject *fallback; /* left out if it is this object; NULL: never left out */
    Py_ssize_t offset;
} Field;

typedef struct {
    PyObject *head; /* bytes: { and the tag, if there is one */
    int has_tag, is_frozen;
    Py_ssize_t count;
    Field fields[];
} Plan;

/* Return the plan of a type, borrowed: plans live as long as the process. NULL without an exception:
   by msgspec. */
static Plan *plan_of(PyTypeObject *type) {
    static PyTypeObject *last_type;
    static Plan *last; /* actions and events come in rows */
    if (type == last_type)
        return last;
    if (!Py_IS_TYPE(type, struct_meta))
        return NULL;
    PyObject *held = PyDict_GetItemWithError(plans, (PyObject *)type);
    if (held == NULL) {
        if (PyErr_Occurred())
            return NULL;
        PyObject *head, *fields, *made = PyObject_CallOneArg(make_plan, (PyObject *)type);
        int has_tag, is_frozen;
        if (made == NULL)
            return NULL;
        if (made == Py_None)
            held = made;
        else {
            if (!PyArg_ParseTuple(made, "SppO!", &head, &has_tag, &is_frozen, &PyTuple_Type, &fields)) {
                Py_DECREF(made);
                return NULL;
            }
            Py_ssize_t count = PyTuple_GET_SIZE(fields);
            Plan *plan = PyMem_Malloc(sizeof(Plan) + (size_t)count * sizeof(Field));
            if (plan == NULL) {
                Py_DECREF(made);
                PyErr_NoMemory();
                return NULL;
            }
            *plan = (Plan){Py_NewRef(head), has_tag, is_frozen, count};
            for (Py_ssize_t i = 0; i < count; i++) {
                PyObject *member, *key, *fallback;
                if (!PyArg_ParseTuple(PyTuple_GET_ITEM(fields, i), "O!SO", &PyMemberDescr_Type, &member, &key,
                                      &fallback)) {
                    PyMem_Free(plan);
                    Py_DECREF(made);
                    return NULL;
                }
                plan->fields[i] = (Field){Py_NewRef(key), fallback == Py_Ellipsis ? NULL : Py_NewRef(fallback),
                                          ((PyMemberDescrObject *)member)->d_member->offset};
            }
            Py_DECREF(made);
            held = PyCapsule_New(plan, NULL, NULL);
            if (held == NULL) {
                PyMem_Free(plan);
                return NULL;
            }
        }
        int failed = PyDict_SetItem(plans, (PyObject *)type, held);
        Py_DECREF(held); /* the dict has it */
        if (failed)
            return NULL;
    }
    if (held == Py_None)
        return NULL;
    last_type = type; /* which lives as long as the plan: both are in the dict */
    return last = PyCapsule_GetPointer(held, NULL);
}

static int put_value(Line *line, PyObject *value);

static int put_struct(Line *line, PyObject *value, const Plan *plan) {
    int is_first = !plan->has_tag;
    if (put_bytes(line, plan->head))
        return -1;
    for (Py_ssize_t i = 0; i < plan->count; i++) {
        const Field *field = &plan->fields[i];
        PyObject *held = *(PyObject **)((char *)value + field->offset);
        if (held == NULL) {
            PyErr_SetString(PyExc_AttributeError, "a field has no value");
            return -1;
        }
        if (held == unset || held == field->fallback)
            continue;
        Py_INCREF(held);
        int failed = (!is_first && put_one(line, ',')) || put_bytes(line, field->key) || put_value(line, held);
        Py_DECREF(held);
        if (failed)
            return -1;
        is_first = 0;
    }
    return put_one(line, '}');
}

static int put_items(Line *line, PyObject *value) {
    if (put_one(line, '['))
        return -1;
    /* the size is read again each time: what a list holds may change while a value is encoded */
    for (Py_ssize_t i = 0; i < Py_SIZE(value); i++) {
        PyObject *item = PyList_CheckExact(value) ? PyList_GET_ITEM(value, i) : PyTuple_GET_ITEM(value, i);
        if (i && put_one(line, ','))
            return -1;
        if (PyUnicode_CheckExact(item)) { /* most are; nothing changes the list meanwhile */
            if (put_text(line, item))
                return -1;
            continue;
        }
        Py_INCREF(item);
        int failed = put_value(line, item);
        Py_DECREF(item);
        if (failed)
            return -1;
    }
    return put_one(line, ']');
}

static int put_dict(Line *line, PyObject *value) {
    PyObject *key, *item;
    Py_ssize_t at = 0, start = (Py_ssize_t)line->length;
    if (put_one(line, '{'))
        return -1;
    for (int is_first = 1; PyDict_Next(value, &at, &key, &item); is_first = 0) {
        if (!PyUnicode_CheckExact(key)) {
            line->length = (size_t)start;
            return put_other(line, value);
        }
        Py_INCREF(key);
        Py_INCREF(item);
        int failed = (!is_first && put_one(line, ',')) || put_text(line, key) || put_one(line, ':') ||
                     put_value(line, item);
        Py_DECREF(key);
        Py_DECREF(item);
        if (failed)
            return -1;
    }
    line->varies = 1;
    return put_one(line, '}');
}

/* A tuple or a frozen struct: parts of a position often are the same objects as in the question
   before. Kept is only what nothing in it can change, and what others hold too: anything else does
   not return. The cache owns the values, as in ``put_known``. */
static int put_kept(Line *line, PyObject *value, const Plan *plan) {
    static struct {
        PyObject *value, *text;
    } kept[1 << KEPT_BITS];
    size_t at = (size_t)(((uint64_t)(uintptr_t)value >> 4) * 0x9E3779B97F4A7C15ULL >> (64 - KEPT_BITS));
    if (Py_REFCNT(value) <= KEPT_HELD)
        return plan != NULL ? put_struct(line, value, plan) : put_items(line, value);
    if (kept[at].value == value)
        return put_bytes(line, kept[at].text);
    size_t start = line->length;
    int varied = line->varies;
    line->varies = 0;
    if (plan != NULL ? put_struct(line, value, plan) : put_items(line, value))
        return -1;
    size_t size = line->length - start;
    if (!line->varies && size >= KEPT_LEAST && size <= KEPT_MOST) {
        PyObject *text = PyBytes_FromStringAndSize(line->text + start, (Py_ssize_t)size);
        if (text == NULL)
            return -1;
        Py_XSETREF(kept[at].text, text);
        Py_XSETREF(kept[at].value, Py_NewRef(value));
    }
    line->varies |= varied;
    return 0;
}

static int put_rest(Line *line, PyObject *value) {
    PyTypeObject *type = Py_TYPE(value);
    if (value == Py_None)
        return put(line, "null", 4);
    if (value == Py_True)
        return put(line, "true", 4);
    if (value == Py_False)
        return put(line, "false", 5);
    if (type == &PyFloat_Type)
        return put_known(line, value);
    const Plan *plan = NULL;
    int may_change = type == &PyList_Type || type == &PyDict_Type;
    if (!may_change && type != &PyTuple_Type) {
        if ((plan = plan_of(type)) == NULL)
            return PyErr_Occurred() ? -1 : put_other(line, value);
        may_change = !plan->is_frozen;
    }
    if (Py_EnterRecursiveCall(" while a question is encoded"))
        return -1;
    int failed;
    line->varies |= may_change;
    if (!may_change)
        failed = put_kept(line, value, plan);
    else if (plan != NULL)
        failed = put_struct(line, value, plan);
    else
        failed = type == &PyDict_Type ? put_dict(line, value) : put_items(line, value);
    Py_LeaveRecursiveCall();
    return failed;
}

static int put_value(Line *line, PyObject *value) {
    PyTypeObject *type = Py_TYPE(value);
    if (type == &PyUnicode_Type)
        return put_text(line, value);
    if (Py_IS_TYPE(type, enum_meta))
        return put_known(line, value);
    if (type == &PyLong_Type)
        return put_int(line, value);
    return put_rest(line, value);
}

/* ---- the answer ---- */

static const char *skip_blanks(const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

static const char *skip_word(const char *at, const char *end, const char *word, size_t size) {
    return (size_t)(end - at) >= size && !memcmp(at, word, size) ? at + size : NULL;
}

/* Return N of {"type":"action","id":"ID","action":N}, its members in any order and with blanks
   between; -1 for anything else. */
static long index_in(const char *at, const char *end, const char *id, size_t id_size) {
    static const char *const keys[] = {"\"type\"", "\"id\"", "\"action\""};
    static const size_t sizes[] = {6, 4, 8};
    long index = -1;
    int seen = 0;
    if ((at = skip_word(skip_blanks(at, end), end, "{", 1)) == NULL)
        return -1;
    for (;;) {
        int key = 0;
        const char *behind = NULL;
        at = skip_blanks(at, end);
        while (key < 3 && (behind = skip_word(at, end, keys[key], sizes[key])) == NULL)
            key++;
        if (behind == NULL || seen & 1 << key)
            return -1;
        seen |= 1 << key;
        if ((at = skip_word(skip_blanks(behind, end), end, ":", 1)) == NULL)
            return -1;
        at = skip_blanks(at, end);
        if (key == 0)
            at = skip_word(at, end, "\"action\"", 8);
        else if (key == 1) {
            if ((at = skip_word(at, end, "\"", 1)) && (at = skip_word(at, end, id, id_size)))
                at = skip_word(at, end, "\"", 1);
        } else {
            const char *first = at;
            for (index = 0; at < end && *at >= '0' && *at <= '9' && at - first <= INT_DIGITS; at++)
                index = index * 10 + (*at - '0');
            if (at == first || at - first > INT_DIGITS || (*first == '0' && at - first > 1))
                return -1;
        }
        if (at == NULL || (at = skip_blanks(at, end)) == end)
            return -1;
        if (*at == '}')
            break;
        if (*at++ != ',')
            return -1;
    }
    return seen == 7 && skip_blanks(at + 1, end) == end ? index : -1;
}

/* ---- the exchange ---- */

typedef struct {
    PyObject_HEAD
    Line line;
    char *data;
    size_t limit; /* most bytes read at once, the size of ``data`` */
    size_t got;
    struct pollfd fds[3]; /* the answer, standard error, the end of the process */
    int in, has_read;
    long count; /* legal actions of the question in ``line`` */
    Py_ssize_t sent;
    long long late_wake;
    long long began, asked, soon, woke, known, read_at;
    int there;
} Exchange;

static long long now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * (1000 * MILLISECOND) + now.tv_nsec;
}

static int exchange_init(Exchange *self, PyObject *args, PyObject *kwargs) {
    int out, err, end;
    Py_ssize_t limit;
    (void)kwargs;
    if (!PyArg_ParseTuple(args, "iiiinL", &self->in, &out, &err, &end, &limit, &self->late_wake))
        return -1;
    if (limit <= 0) {
        PyErr_SetString(PyExc_ValueError, "limit: expected 1 or more");
        return -1;
    }
    if (self->data != NULL) {
        PyErr_SetString(PyExc_TypeError, "an exchange begins once");
        return -1;
    }
    if ((self->data = PyMem_Malloc((size_t)limit)) == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    self->limit = (size_t)limit;
    int watched[] = {out, err, end};
    for (int i = 0; i < 3; i++)
        self->fds[i] = (struct pollfd){watched[i], POLLIN, 0};
    return 0;
}

static void exchange_dealloc(Exchange *self) {
    PyMem_Free(self->line.text);
    PyMem_Free(self->data);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

/* put(question, count) -> bytes of the line, its end included */
static PyObject *exchange_put(Exchange *self, PyObject *const *args, Py_ssize_t nargs) {
    if (nargs != 2)
        return PyErr_Format(PyExc_TypeError, "expected a question and a count");
    long count = PyLong_AsLong(args[1]);
    if (count == -1 && PyErr_Occurred())
        return NULL;
    self->count = -1;
    self->line.length = 0;
    if (put_value(&self->line, args[0]) || put_one(&self->line, '\n'))
        return NULL;
    self->count = count;
    return PyLong_FromSize_t(self->line.length);
}

/* Wait for any event; the wait of an interrupted call goes on. Return the number of ready
   descriptors, or -1 with an exception. */
static int wait_for_any(Exchange *self, long long until) {
    for (;;) {
        int ready, left = -1;
        if (until >= 0) {
            long long rest = until - now_ns();
            left = rest > 0 ? (int)((rest + MILLISECOND - 1) / MILLISECOND) : 0;
        }
        Py_BEGIN_ALLOW_THREADS
        ready = poll(self->fds, 3, left);
        Py_END_ALLOW_THREADS
        if (ready >= 0)
            return ready;
        if (errno != EINTR) {
            PyErr_SetFromErrno(PyExc_OSError);
            return -1;
        }
        if (PyErr_CheckSignals())
            return -1;
    }
}

/* ask(id, allowance, glance) -> index of the chosen action; None for all but the plain answer

Times in nanoseconds; ``allowance`` None: no deadline. */
static PyObject *exchange_ask(Exchange *self, PyObject *const *args, Py_ssize_t nargs) {
    Py_ssize_t id_size;
    const char *id;
    if (nargs != 3 || (id = PyUnicode_AsUTF8AndSize(args[0], &id_size)) == NULL)
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "expected an id and two times");
    int has_deadline = args[1] != Py_None;
    long long allowance = has_deadline ? PyLong_AsLongLong(args[1]) : 0, glance = PyLong_AsLongLong(args[2]);
    if (PyErr_Occurred())
        return NULL;
    if (self->count < 0)
        return PyErr_Format(PyExc_ValueError, "no question was put");
    long count = self->count;
    self->count = -1;
    self->has_read = 0;
    self->got = 0;
    self->soon = 0;
    for (int i = 0; i < 3; i++)
        self->fds[i].revents = 0;
    self->began = now_ns();
    do {
        Py_BEGIN_ALLOW_THREADS
        self->sent = write(self->in, self->line.text, self->line.length);
        Py_END_ALLOW_THREADS
    } while (self->sent < 0 && errno == EINTR && !PyErr_CheckSignals());
    if (PyErr_Occurred())
        return NULL;
    self->asked = self->woke = now_ns();
    if (self->sent < 0) {
        if (errno != EAGAIN && errno != EPIPE)
            return PyErr_SetFromErrno(PyExc_OSError);
        self->sent = errno == EAGAIN ? 0 : -1;
    }
    if (self->sent != (Py_ssize_t)self->line.length)
        Py_RETURN_NONE;
    if (has_deadline) {
        self->soon = (self->began + allowance - self->asked) / 4;
        self->soon = self->soon > glance ? glance : self->soon < 0 ? 0 : self->soon;
    }
    int ready = wait_for_any(self, has_deadline ? self->asked + self->soon : -1);
    if (ready < 0)
        return NULL;
    self->woke = now_ns();
    if (ready != 1 || self->fds[0].revents != POLLIN)
        Py_RETURN_NONE;
    ssize_t got;
    Py_BEGIN_ALLOW_THREADS
    if (ioctl(self->fds[0].fd, FIONREAD, &self->there) < 0)
        self->there = 0;
    self->known = now_ns();
    do
        got = read(self->fds[0].fd, self->data, self->limit);
    while (got < 0 && errno == EINTR);
    self->read_at = now_ns();
    Py_END_ALLOW_THREADS
    if (got < 0 && errno != EAGAIN)
        return PyErr_SetFromErrno(PyExc_OSError);
    self->got = got > 0 ? (size_t)got : 0;
    self->has_read = 1;
    int is_late = has_deadline && (self->woke - self->asked - self->soon > self->late_wake ||
                                   (self->read_at - self->woke > self->late_wake &&
                                    self->read_at > self->began + allowance));
    if (is_late || self->got < 2 || self->data[self->got - 1] != '\n')
        Py_RETURN_NONE;
    long index = index_in(self->data, self->data + self->got - 1, id, (size_t)id_size);
    if (index < 0 || index >= count)
        Py_RETURN_NONE;
    return PyLong_FromLong(index);
}

static PyObject *exchange_unwatch(Exchange *self, PyObject *descriptor) {
    long number = PyLong_AsLong(descriptor);
    if (number == -1 && PyErr_Occurred())
        return NULL;
    for (int i = 0; i < 3; i++)
        if (self->fds[i].fd == number)
            self->fds[i].fd = -1;
    Py_RETURN_NONE;
}

static PyObject *get_line(Exchange *self, void *closure) {
    (void)closure;
    return PyBytes_FromStringAndSize(self->line.text, (Py_ssize_t)self->line.length);
}

static PyObject *get_data(Exchange *self, void *closure) {
    (void)closure;
    if (!self->has_read)
        Py_RETURN_NONE;
    return PyBytes_FromStringAndSize(self->data, (Py_ssize_t)self->got);
}

static PyObject *get_ready(Exchange *self, void *closure) {
    (void)closure;
    PyObject *found = PyList_New(0);
    for (int i = 0; found != NULL && i < 3; i++) {
        if (!self->fds[i].revents)
            continue;
        PyObject *event = Py_BuildValue("ii", self->fds[i].fd, (int)self->fds[i].revents);
        if (event == NULL || PyList_Append(found, event))
            Py_CLEAR(found);
        Py_XDECREF(event);
    }
    return found;
}

static PyMethodDef exchange_methods[] = {
    {"put", (PyCFunction)(void (*)(void))exchange_put, METH_FASTCALL, "Encode a question; return its bytes."},
    {"ask", (PyCFunction)(void (*)(void))exchange_ask, METH_FASTCALL,
     "Send the question and look once; return the index of a plain answer, else None."},
    {"unwatch", (PyCFunction)exchange_unwatch, METH_O, "Stop watching a descriptor."},
    {NULL, NULL, 0, NULL}};
static PyGetSetDef exchange_values[] = {
    {"line", (getter)get_line, NULL, "The question.", NULL},
    {"data", (getter)get_data, NULL, "What was read; None if nothing was tried.", NULL},
    {"ready", (getter)get_ready, NULL, "Descriptors that were ready, with their events.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyMemberDef exchange_members[] = {
    {"sent", T_PYSSIZET, offsetof(Exchange, sent), READONLY, "Bytes sent; -1: the pipe is closed."},
    {"began", T_LONGLONG, offsetof(Exchange, began), READONLY, "Instant before sending."},
    {"asked", T_LONGLONG, offsetof(Exchange, asked), READONLY, "Instant after sending."},
    {"soon", T_LONGLONG, offsetof(Exchange, soon), READONLY, "Length of the first poll."},
    {"woke", T_LONGLONG, offsetof(Exchange, woke), READONLY, "Instant after the first poll."},
    {"known", T_LONGLONG, offsetof(Exchange, known), READONLY, "Instant at which ``there`` was known."},
    {"there", T_INT, offsetof(Exchange, there), READONLY, "Bytes in the pipe before reading."},
    {"read_at", T_LONGLONG, offsetof(Exchange, read_at), READONLY, "Instant after reading."},
    {NULL, 0, 0, 0, NULL}};
static PyTypeObject exchange_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "arena.referee._exchange.Exchange",
    .tp_doc = "The questions to one bot.",
    .tp_basicsize = sizeof(Exchange),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)exchange_init,
    .tp_dealloc = (destructor)exchange_dealloc,
    .tp_methods = exchange_methods,
    .tp_members = exchange_members,
    .tp_getset = exchange_values};

/* ---- the module ---- */

static PyObject *set_up(PyObject *module, PyObject *args) {
    PyObject *encoder, *planner, *nothing, *enums, *structs;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOO!O!", &encoder, &planner, &nothing, &PyType_Type, &enums, &PyType_Type,
                          &structs))
        return NULL;
    if (plans == NULL && (plans = PyDict_New()) == NULL)
        return NULL;
    Py_XSETREF(encode, Py_NewRef(encoder));
    Py_XSETREF(make_plan, Py_NewRef(planner));
    Py_XSETREF(unset, Py_NewRef(nothing));
    enum_meta = (PyTypeObject *)Py_NewRef(enums);
    struct_meta = (PyTypeObject *)Py_NewRef(structs);
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"set_up", set_up, METH_VARARGS, "set_up(encode, make_plan, unset, enum_meta, struct_meta): once, before use."},
    {NULL, NULL, 0, NULL}};
static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_exchange", "One question to a bot, compiled.", -1, functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__exchange(void) {
    if (PyType_Ready(&exchange_type) < 0)
        return NULL;
    PyObject *module = PyModule_Create(&definition);
    if (module != NULL && (PyModule_AddObjectRef(module, "Exchange", (PyObject *)&exchange_type) < 0 ||
                           PyModule_AddStringConstant(module, "SOURCE", ARENA_SOURCE) < 0))
        Py_CLEAR(module);
    return module;
}
