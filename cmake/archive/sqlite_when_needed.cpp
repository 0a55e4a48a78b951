// SQLite's functions for a build on a machine without its library: each is looked up in libsqlite3.so.0 when it is
// first called. Where there is none, opening a database fails, and the message says which package has it.
#include <dlfcn.h>

#include <sqlite3.h>

namespace {

void* library() {
    static void* const handle = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
    return handle;
}

template <class F> F found(const char* name) {
    return library() == nullptr ? nullptr : reinterpret_cast<F>(dlsym(library(), name));
}

constexpr const char* kMissing = "no libsqlite3.so.0 on this machine; install SQLite (libsqlite3-0 on Debian)";

int cannot_open(sqlite3_vfs*, const char*, sqlite3_file*, int, int*) {
    return SQLITE_CANTOPEN;
}
sqlite3_vfs no_files = {3,           sizeof(sqlite3_file),
                        0,           nullptr,
                        "none",      nullptr,
                        cannot_open, nullptr,
                        nullptr,     nullptr,
                        nullptr,     nullptr,
                        nullptr,     nullptr,
                        nullptr,     nullptr,
                        nullptr,     nullptr,
                        nullptr,     nullptr,
                        nullptr,     nullptr};

} // namespace

// One function of SQLite: its result's type, its name, its parameters, how they are passed on, and its result without a
// library.
#define MANTISSA_FORWARD(type, name, parameters, arguments, otherwise)                                                 \
    type name parameters {                                                                                             \
        static const auto real = found<type(*) parameters>(#name);                                                     \
        return real == nullptr ? otherwise : real arguments;                                                           \
    }

extern "C" {
// clang-format off
MANTISSA_FORWARD(int, sqlite3_bind_double, (sqlite3_stmt* s, int i, double x), (s, i, x), SQLITE_ERROR)
MANTISSA_FORWARD(int, sqlite3_bind_int, (sqlite3_stmt* s, int i, int x), (s, i, x), SQLITE_ERROR)
MANTISSA_FORWARD(int, sqlite3_bind_int64, (sqlite3_stmt* s, int i, sqlite3_int64 x), (s, i, x), SQLITE_ERROR)
MANTISSA_FORWARD(int, sqlite3_bind_null, (sqlite3_stmt* s, int i), (s, i), SQLITE_ERROR)
MANTISSA_FORWARD(int, sqlite3_bind_text, (sqlite3_stmt* s, int i, const char* x, int n, void (*f)(void*)), (s, i, x, n, f), SQLITE_ERROR)
MANTISSA_FORWARD(int, sqlite3_busy_timeout, (sqlite3* d, int ms), (d, ms), SQLITE_ERROR)
MANTISSA_FORWARD(int, sqlite3_close, (sqlite3* d), (d), SQLITE_OK)
MANTISSA_FORWARD(int, sqlite3_column_bytes, (sqlite3_stmt* s, int i), (s, i), 0)
MANTISSA_FORWARD(int, sqlite3_column_count, (sqlite3_stmt* s), (s), 0)
MANTISSA_FORWARD(double, sqlite3_column_double, (sqlite3_stmt* s, int i), (s, i), 0)
MANTISSA_FORWARD(int, sqlite3_column_int, (sqlite3_stmt* s, int i), (s, i), 0)
MANTISSA_FORWARD(sqlite3_int64, sqlite3_column_int64, (sqlite3_stmt* s, int i), (s, i), 0)
MANTISSA_FORWARD(const char*, sqlite3_column_name, (sqlite3_stmt* s, int i), (s, i), "")
MANTISSA_FORWARD(const unsigned char*, sqlite3_column_text, (sqlite3_stmt* s, int i), (s, i), nullptr)
MANTISSA_FORWARD(int, sqlite3_column_type, (sqlite3_stmt* s, int i), (s, i), SQLITE_NULL)
MANTISSA_FORWARD(const char*, sqlite3_create_filename, (const char* d, const char* j, const char* w, int n, const char** p), (d, j, w, n, p), nullptr)
MANTISSA_FORWARD(int, sqlite3_deserialize, (sqlite3* d, const char* z, unsigned char* p, sqlite3_int64 n, sqlite3_int64 m, unsigned f), (d, z, p, n, m, f), SQLITE_ERROR)
MANTISSA_FORWARD(const char*, sqlite3_errmsg, (sqlite3* d), (d), kMissing)
MANTISSA_FORWARD(const char*, sqlite3_errstr, (int code), (code), kMissing)
MANTISSA_FORWARD(int, sqlite3_exec, (sqlite3* d, const char* q, int (*f)(void*, int, char**, char**), void* p, char** e), (d, q, f, p, e), SQLITE_ERROR)
MANTISSA_FORWARD(int, sqlite3_file_control, (sqlite3* d, const char* z, int o, void* p), (d, z, o, p), SQLITE_ERROR)
MANTISSA_FORWARD(int, sqlite3_finalize, (sqlite3_stmt* s), (s), SQLITE_OK)
MANTISSA_FORWARD(void*, sqlite3_malloc64, (sqlite3_uint64 n), (n), nullptr)
MANTISSA_FORWARD(int, sqlite3_open_v2, (const char* name, sqlite3** d, int flags, const char* vfs), (name, d, flags, vfs), (*d = nullptr, SQLITE_CANTOPEN))
MANTISSA_FORWARD(int, sqlite3_prepare_v2, (sqlite3* d, const char* q, int n, sqlite3_stmt** s, const char** t), (d, q, n, s, t), (*s = nullptr, SQLITE_ERROR))
MANTISSA_FORWARD(int, sqlite3_step, (sqlite3_stmt* s), (s), SQLITE_ERROR)
MANTISSA_FORWARD(int, sqlite3_stmt_readonly, (sqlite3_stmt* s), (s), 1)
MANTISSA_FORWARD(sqlite3_vfs*, sqlite3_vfs_find, (const char* name), (name), &no_files)
// clang-format on

void sqlite3_free_filename(sqlite3_filename name) {
    static const auto real = found<void (*)(sqlite3_filename)>("sqlite3_free_filename");
    if (real != nullptr) real(name);
}

/// With the one kind of arguments that are used: an integer and where its new value goes.
int sqlite3_db_config(sqlite3* database, int what, ...) {
    __builtin_va_list more;
    __builtin_va_start(more, what);
    const int value = __builtin_va_arg(more, int);
    int* const result = __builtin_va_arg(more, int*);
    __builtin_va_end(more);
    static const auto real = found<int (*)(sqlite3*, int, ...)>("sqlite3_db_config");
    return real == nullptr ? SQLITE_ERROR : real(database, what, value, result);
}
}
