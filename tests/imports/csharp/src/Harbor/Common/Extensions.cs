using System;

namespace Harbor.Common.Text
{
    public static class StringExtensions
    {
        public static string Shorten(this string text, int length) => text;
        public static IEnumerable<T> Each<T>(this IEnumerable<T> all) => all;
    }
}
